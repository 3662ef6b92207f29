import { rmSync } from 'node:fs'
import { serviceNames, services } from '@platform/contracts'
import { freePorts, freshDirectory } from './machine.ts'
import { type PlatformProcess, spawnPlatform } from './spawn.ts'

/** The administrator of platforms under test. */
export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery staple' }

/** Secrets of platforms under test. */
export const platformSecrets = {
  INTERNAL_API_KEY: 'internal-key-of-the-platform-tests-0123456789',
  SECRETS_MASTER_KEYS: `test:${Buffer.alloc(32, 9).toString('base64')}`,
  SESSION_COOKIES_SIGN_SECRET: 'cookie-secret-of-the-platform-tests-0123456789',
}

/** A whole platform in real processes, black box: what a user or operator has. */
export interface Platform extends AsyncDisposable {
  /** Origins of its gateways; most callers want the first. */
  origins: string[]
  origin: string
  internalApiKey: string
  env: Record<string, string>
  processes: PlatformProcess[]
  process(name: string): PlatformProcess
  /** Starts a process again under its own name, for example after a kill; resolves when it is ready, or at once. */
  restart(name: string, options?: { untilReady?: boolean }): Promise<void>
}

/** The main file of all in one. */
export const ALL_IN_ONE_SOURCE = 'apps/all-in-one/src/main.ts'

/** What a run of tests or benches says that has made the bundles anew. */
export const BUNDLES_ARE_BUILT = 'BUNDLES_ARE_BUILT'

/**
 * All services in one process on embedded drivers: the bundle where this run has made it, which is what `npm start`
 * runs and starts in half of the time, else the sources. `main` says which.
 */
export async function startAllInOne(
  extra: Record<string, string> = {},
  dataDirectory?: string,
  main = process.env[BUNDLES_ARE_BUILT] === '1' ? 'dist/all-in-one/main.js' : ALL_IN_ONE_SOURCE,
): Promise<Platform> {
  const directory = dataDirectory ?? freshDirectory('platform-')
  const ports = await freePorts(serviceNames.length)
  const port = ports[serviceNames.indexOf('api-gateway')] ?? 0
  const env = {
    ...platformSecrets,
    DATA_DIRECTORY: directory,
    ...Object.fromEntries(serviceNames.map((name, at) => [services[name].portVariable, String(ports[at])])),
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    RATE_LIMIT_DISABLED: 'true',
    // One process less to start. Tests of those that may die say how many they want.
    RUNTIME_PROCESSES: '0',
    // A machine that runs tests is busy: that is no overload.
    GATEWAY_MAX_LAG_MS: '0',
    ...extra,
  }
  const launch = () => spawnPlatform('all-in-one', main, env)
  const launchers = { 'all-in-one': { launch, ready: /is ready at/ } }
  const platform = platformOf([`http://localhost:${port}`], env, launchers, () => {
    if (dataDirectory === undefined) rmSync(directory, { recursive: true, force: true })
  })
  await platform.startAll()
  return platform
}

/** Many processes start at once, on a machine that may do much else. */
const READY_MS = 120_000

/** How a process is started, and what it prints when it is ready. */
export interface Launcher {
  launch: () => PlatformProcess
  ready: RegExp
}

/** The platform of these launchers; nothing is started yet. */
export function platformOf(
  origins: string[],
  env: Record<string, string>,
  launchers: Record<string, Launcher>,
  cleanUp: () => void = () => {},
) {
  const running = new Map<string, PlatformProcess>()
  const restart = async (name: string, { untilReady = true }: { untilReady?: boolean } = {}) => {
    const launcher = launchers[name]
    if (launcher === undefined) throw new Error(`The platform under test has no process ${name}.`)
    const started = launcher.launch()
    running.set(name, started)
    if (untilReady) await started.printed(launcher.ready, READY_MS)
  }
  return {
    origins,
    origin: origins[0] ?? '',
    env,
    internalApiKey: platformSecrets.INTERNAL_API_KEY,
    get processes() {
      return [...running.values()]
    },
    process(name: string): PlatformProcess {
      const found = running.get(name)
      if (found === undefined) throw new Error(`The platform under test has no process ${name}.`)
      return found
    },
    restart,
    async startAll() {
      await Promise.all(Object.keys(launchers).map((name) => restart(name)))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running.values()].map((one) => one.stop()))
      cleanUp()
    },
  }
}

/**
 * A platform that somebody else has brought up, for example in containers, at the origin E2E_ORIGIN names; undefined
 * where that is not set. It has the administrator and the internal key of platforms under test and no rate limits;
 * its processes are nobody's to stop.
 */
export const deployedPlatform = (): Platform | undefined => {
  const { E2E_ORIGIN: origin = '' } = process.env
  return origin === '' ? undefined : platformOf([origin], { ...platformSecrets }, {})
}
