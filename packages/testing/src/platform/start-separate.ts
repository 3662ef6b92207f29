import {
  type ServiceBehindGateway,
  type ServiceName,
  services,
  servicesBehindGateway,
} from '@platform/contracts'
import { freePorts } from './machine.ts'
import { spawnPlatform } from './spawn.ts'
import { ADMIN, type Launcher, type Platform, platformOf, platformSecrets } from './start-platform.ts'

/** Where separate processes keep their data. */
export interface ExternalStores {
  databaseUrl: string
  brokerUrl: string
  cacheUrl: string
}

/** What a test changes of separate processes. */
export interface SeparateOptions {
  /** How many of each; two gateways, two runtimes and one of the others without it. */
  counts?: Partial<Record<Kind, number>>
  /**
   * Where the gateway looks for an instance of a service that listens on this port, for example behind a fault proxy.
   */
  through?: (name: string, port: number) => Promise<string>
  /** The folder with the bundles that a process runs, asked at each of its starts; `dist` without it. */
  bundles?: (name: string) => string
  /** Flags of Node for an app; none without it. */
  flags?: (app: ServiceName) => readonly string[]
}

/** What tests call a service: the gateway by a shorter name. */
type Kind = ServiceBehindGateway | 'gateway'

const kinds: readonly Kind[] = [...servicesBehindGateway, 'gateway']
const appOf = (kind: Kind): ServiceName => (kind === 'gateway' ? 'api-gateway' : kind)
const countOf = (kind: Kind): number => (kind === 'gateway' || kind === 'runtime' ? 2 : 1)

interface Place {
  kind: Kind
  name: string
  port: number
  url: string
}

/**
 * Gateways, runtimes, events and workspaces, each a process of its own that runs its bundle (`scripts/bundle.ts`), as
 * in production. One alone is called by its kind (`events`), several are numbered (`runtime-1`).
 */
export async function startSeparate(
  stores: ExternalStores,
  extra: Record<string, string> = {},
  options: SeparateOptions = {},
): Promise<Platform> {
  const places = await placesOf(options.counts, options.through)
  const urls = (kind: Kind) => places.filter((place) => place.kind === kind).map(({ url }) => url)
  const origins = places
    .filter(({ kind }) => kind === 'gateway')
    .map(({ port }) => `http://localhost:${port}`)
  const env = {
    ...platformSecrets,
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    DATABASE_URL: stores.databaseUrl,
    BROKER_URL: stores.brokerUrl,
    CACHE_URL: stores.cacheUrl,
    SEARCH_URL: 'postgres:',
    API_URL: `${origins[0]}/v2`,
    INTERNAL_API_URL: `${urls('gateway')[0]}/v2`,
    ...Object.fromEntries(
      servicesBehindGateway.map((name) => [services[name].urlVariable, urls(name).join(',')]),
    ),
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    RATE_LIMIT_DISABLED: 'true',
    // One process less to start. Tests of those that may die say how many they want.
    RUNTIME_PROCESSES: '0',
    // A machine that runs tests is busy: that is no overload.
    GATEWAY_MAX_LAG_MS: '0',
    ...extra,
  }
  const launchers = places.map(({ kind, name, port }): [string, Launcher] => {
    const launch = () => {
      const main = `${options.bundles?.(name) ?? 'dist'}/${appOf(kind)}/main.js`
      const [script = main, ...rest] = [...(options.flags?.(appOf(kind)) ?? []), main]
      return spawnPlatform(name, script, { ...env, PORT: String(port) }, rest)
    }
    return [name, { launch, ready: /service is ready/ }]
  })
  const platform = platformOf(origins, env, Object.fromEntries(launchers))
  await platform.startAll()
  return platform
}

async function placesOf(
  counts: SeparateOptions['counts'] = {},
  through: SeparateOptions['through'] = async (_, port) => `http://127.0.0.1:${port}`,
): Promise<Place[]> {
  const named = kinds.flatMap((kind) => {
    const count = counts[kind] ?? countOf(kind)
    return Array.from({ length: count }, (_, at) => ({
      kind,
      name: count === 1 ? kind : `${kind}-${at + 1}`,
    }))
  })
  const ports = await freePorts(named.length)
  return Promise.all(
    named.map(async ({ kind, name }, at) => {
      const port = ports[at] ?? 0
      const isBehind = kind !== 'gateway'
      return { kind, name, port, url: isBehind ? await through(name, port) : `http://127.0.0.1:${port}` }
    }),
  )
}
