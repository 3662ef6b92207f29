import { apiGateway } from '@platform/api-gateway'
import { events } from '@platform/events'
import { runtime } from '@platform/runtime'
import { run } from '@platform/service'
import { workspaces } from '@platform/workspaces'
import { announceReady } from './announce-ready.ts'
import { embeddedEnvironment } from './embedded-environment.ts'

await run([workspaces, runtime, events, apiGateway], () => embeddedEnvironment(process.env), {
  ready: announceReady,
})
