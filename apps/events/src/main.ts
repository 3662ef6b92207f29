import { run } from '@platform/service'
import { events } from './service.ts'

await run([events], process.env)
