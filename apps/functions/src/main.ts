import { run } from '@platform/service'
import { functions } from './service.ts'

await run([functions], process.env)
