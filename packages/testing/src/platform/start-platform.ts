import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-port.ts'
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
  /** Starts a process again under its own name, for example after a kill. */
  restart(name: string): Promise<void>
}

/** All services in one process on embedded drivers, as `npm start` runs them. */
export async function startAllInOne(
  extra: Record<string, string> = {},
  dataDirectory?: string,
): Promise<Platform> {
  const directory = dataDirectory ?? mkdtempSync(join(tmpdir(), 'platform-'))
  const [port = 0, workspaces = 0, runtime = 0, events = 0] = await freePorts(4)
  const env = {
    ...platformSecrets,
    DATA_DIRECTORY: directory,
    PORT: String(port),
    WORKSPACES_PORT: String(workspaces),
    RUNTIME_PORT: String(runtime),
    EVENTS_PORT: String(events),
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    RATE_LIMIT_DISABLED: 'true',
    ...extra,
  }
  const script = 'apps/all-in-one/src/main.ts'
  const launch = async () => {
    const started = spawnPlatform('all-in-one', script, env)
    await started.printed(/is ready at/)
    return started
  }
  const platform = platformOf([`http://localhost:${port}`], env, { 'all-in-one': launch }, () => {
    if (dataDirectory === undefined) rmSync(directory, { recursive: true, force: true })
  })
  await platform.startAll()
  return platform
}

/** Where separate processes keep their data. */
export interface ExternalStores {
  databaseUrl: string
  brokerUrl: string
  cacheUrl: string
}

/** Two gateways, two runtimes, events and workspaces, each a process of its own, as in production. */
export async function startSeparate(
  stores: ExternalStores,
  extra: Record<string, string> = {},
): Promise<Platform> {
  const [gateway1 = 0, gateway2 = 0, workspaces = 0, runtime1 = 0, runtime2 = 0, events = 0] =
    await freePorts(6)
  const local = (port: number) => `http://127.0.0.1:${port}`
  const env = {
    ...platformSecrets,
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    DATABASE_URL: stores.databaseUrl,
    BROKER_URL: stores.brokerUrl,
    CACHE_URL: stores.cacheUrl,
    SEARCH_URL: 'postgres:',
    API_URL: `http://localhost:${gateway1}/v2`,
    INTERNAL_API_URL: `${local(gateway1)}/v2`,
    WORKSPACES_API_URL: local(workspaces),
    RUNTIME_API_URL: [local(runtime1), local(runtime2)].join(','),
    EVENTS_API_URL: local(events),
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    RATE_LIMIT_DISABLED: 'true',
    ...extra,
  }
  const launch = (name: string, app: string, port: number) => async () => {
    const started = spawnPlatform(name, `apps/${app}/src/main.ts`, { ...env, PORT: String(port) })
    await started.printed(/service is ready/)
    return started
  }
  const platform = platformOf([`http://localhost:${gateway1}`, `http://localhost:${gateway2}`], env, {
    workspaces: launch('workspaces', 'workspaces', workspaces),
    'runtime-1': launch('runtime-1', 'runtime', runtime1),
    'runtime-2': launch('runtime-2', 'runtime', runtime2),
    events: launch('events', 'events', events),
    'gateway-1': launch('gateway-1', 'api-gateway', gateway1),
    'gateway-2': launch('gateway-2', 'api-gateway', gateway2),
  })
  await platform.startAll()
  return platform
}

function platformOf(
  origins: string[],
  env: Record<string, string>,
  launchers: Record<string, () => Promise<PlatformProcess>>,
  cleanUp: () => void = () => {},
) {
  const running = new Map<string, PlatformProcess>()
  const restart = async (name: string) => {
    const launch = launchers[name]
    if (launch === undefined) throw new Error(`The platform under test has no process ${name}.`)
    running.set(name, await launch())
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
      await Promise.all(Object.keys(launchers).map(restart))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running.values()].map((one) => one.stop()))
      cleanUp()
    },
  }
}
