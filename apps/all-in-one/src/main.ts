import { apiGateway } from '@platform/api-gateway'
import { events } from '@platform/events'
import { runtime } from '@platform/runtime'
import { run } from '@platform/service'
import { workspaces } from '@platform/workspaces'
import { announceReady } from './announce-ready.ts'
import { allInOneEnv } from './config.ts'
import { embeddedEnvironment } from './embedded-environment.ts'
import { firstStartSecretsOf } from './first-start-secrets.ts'

await run([workspaces, runtime, events, apiGateway], () => embeddedEnvironment(process.env), {
  ready: announceReady,
  variables: [allInOneEnv],
  sources: (env) => ({
    environment: process.env,
    'secrets file': firstStartSecretsOf(env),
    'all in one': env,
  }),
})
