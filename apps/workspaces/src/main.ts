import { run } from '@platform/service'
import { workspaces } from './service.ts'

await run([workspaces], process.env)
