import { type Env, readConfig } from '@platform/config'
import { reachEmbedded } from '@platform/database'
import { processEnv, type Service, type StartedElsewhere, settingsOf } from '@platform/service'
import { environment, runtimeEnv } from './config.ts'
import { readProcessSettings } from './processes/processes-env.ts'
import { runtimeProcesses } from './processes/runtime-processes.ts'

/** What a process of Node and its libraries read, beside the variables of the platform. */
const ofTheMachine = /^(PATH|HOME|TZ|TMPDIR|HOSTNAME|LANG|LC_.*|NODE_.*|MALLOC_.*|SSL_.*|UV_.*)$/

const EMBEDDED = 'embedded:'

/** The runtime in processes of its own, beside services that share this one. Nothing of it is loaded here. */
export const runtimeInProcesses = (main: string): Service => ({
  name: 'runtime',
  variables: environment,
  address: (env) => readConfig(runtimeEnv, env),
  build: () => Promise.reject(new Error('The runtime runs in processes of its own.')),
  startElsewhere: (env, { log }) => startProcesses(main, env, log),
})

function startProcesses(
  main: string,
  env: Env,
  log: Parameters<typeof runtimeProcesses>[2],
): StartedElsewhere {
  const [first, ...others] = ownAddresses(env)
  const starting = environmentOf(env).then(async (given) => {
    const at = (address: string): Env => ({ ...given, RUNTIME_PORT: new URL(address).port })
    const places = [at(first), ...others.map(at)] as const
    const group = runtimeProcesses({ main, places }, readProcessSettings(env), log)
    return { group, started: group.start() }
  })
  return {
    url: first,
    ready: starting.then(({ started }) => started),
    pages: async () => await (await starting).group.pages(),
    [Symbol.asyncDispose]: async () => await (await starting).group.stop(),
  }
}

/** Where they listen. An address that somebody gave, of a proxy before the runtime or of another one, is not theirs. */
function ownAddresses({ RUNTIME_API_URL = '', RUNTIME_PORT = '' }: Env): readonly [string, ...string[]] {
  const [first = '', ...others] = RUNTIME_API_URL.split(',')
  return URL.canParse(first) && new URL(first).port === RUNTIME_PORT
    ? [first, ...others]
    : [`http://127.0.0.1:${RUNTIME_PORT}`]
}

/** Only what they read: they get no secret that they do not need. */
async function environmentOf(env: Env): Promise<Env> {
  const read = settingsOf({ runtime: environment, process: processEnv }, { environment: env })
  const known = new Set(read.map(({ name }) => name))
  const given = Object.entries(env).filter(([name]) => known.has(name) || ofTheMachine.test(name))
  const url = env.DATABASE_URL ?? ''
  const reached = url.startsWith(EMBEDDED) ? await reachEmbedded(url.slice(EMBEDDED.length)) : undefined
  return {
    ...Object.fromEntries(given),
    DATABASE_URL: reached?.url ?? url,
    // Who scrapes asks the process that has started them, and who stops it has waited already.
    METRICS_PORT: undefined,
    SHUTDOWN_DELAY_MS: '0',
  }
}
