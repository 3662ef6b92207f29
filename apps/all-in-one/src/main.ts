import type { Env } from '@platform/config'
import { collectStart, run, runContained, type Service } from '@platform/service'
import { contained } from '@platform/service/processes'
import { runtimeInProcesses } from '../../runtime/src/processes.ts'
import { announceReady } from './announce-ready.ts'
import {
  allInOneEnv,
  embeddedEnvironment,
  migrationEnvironment,
  runtimeCount,
} from './embedded-environment.ts'
import { firstStartSecretsOf } from './first-start-secrets.ts'
import { loadService } from './services.ts'

/**
 * What executes automations is in processes of its own, unless there are to be none; a command is done here, whatever
 * it is about.
 */
async function servicesFor(env: Env, given: readonly string[]): Promise<Service[]> {
  const isApart = given.length === 0 && runtimeCount(env) > 0
  const apart = { ...loadService, runtime: async () => runtimeInProcesses(process.argv[1] ?? '') }
  return await Promise.all(Object.values(isApart ? apart : loadService).map((load) => load()))
}

const self = contained()
if (self === undefined) {
  const { env } = process
  await run(await servicesFor(env, process.argv.slice(2)), env, {
    complete: (given, command) =>
      command === 'migrate' ? migrationEnvironment(given) : embeddedEnvironment(given),
    ready: (running, completed) => {
      collectStart()
      announceReady(running, completed)
    },
    variables: [allInOneEnv],
    sources: (completed) => ({
      environment: env,
      'secrets file': firstStartSecretsOf(completed),
      'all in one': completed,
    }),
    isOutputShared: runtimeCount(env) > 0,
  })
} else await runContained(self, await loadService.runtime(), process.env)
