import { run } from '@platform/service'
import { runtime } from './service.ts'

await run([runtime], process.env)
