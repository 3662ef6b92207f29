import { run } from '@platform/service'
import { announceReady } from './announce-ready.ts'
import { allInOneEnv } from './config.ts'
import { embeddedEnvironment, migrationEnvironment } from './embedded-environment.ts'
import { firstStartSecretsOf } from './first-start-secrets.ts'
import { services } from './services.ts'

await run(services, process.env, {
  complete: (env, command) => (command === 'migrate' ? migrationEnvironment(env) : embeddedEnvironment(env)),
  ready: announceReady,
  variables: [allInOneEnv],
  sources: (env) => ({
    environment: process.env,
    'secrets file': firstStartSecretsOf(env),
    'all in one': env,
  }),
})
