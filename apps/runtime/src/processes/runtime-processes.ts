import type { Env } from '@platform/config'
import type { Logger } from '@platform/logging'
import { ProcessGroup } from '@platform/service/processes'
import type { ProcessSettings } from './processes-env.ts'
import { refusals } from './refused-automations.ts'

/** How the processes of a runtime are started. */
interface Places {
  /** The program that they run. */
  readonly main: string
  /** The environment of each. */
  readonly places: readonly [Env, ...Env[]]
}

/** A process of the quarantine: nobody calls it, and whoever scrapes metrics scrapes the others. */
const asideEnv = (env: Env): Env => ({
  ...env,
  HOST: '127.0.0.1',
  PORT: '0',
  RUNTIME_PORT: '0',
  METRICS_PORT: undefined,
  SHUTDOWN_DELAY_MS: '0',
})

/** The processes that execute automations; nothing is started yet. */
export function runtimeProcesses(
  { main, places }: Places,
  settings: ProcessSettings,
  log: Pick<Logger, 'error' | 'info'>,
): ProcessGroup {
  return new ProcessGroup({
    kind: 'runtime',
    main,
    places,
    asideEnv: asideEnv(places[0]),
    silenceMs: settings.RUNTIME_SILENCE_MS,
    heapMegabytes: settings.RUNTIME_HEAP_MB,
    graceMs: settings.SHUTDOWN_GRACE_MS,
    log,
    learn: refusals(),
  })
}
