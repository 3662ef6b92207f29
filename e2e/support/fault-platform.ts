import { FaultProxy, type Platform, startSeparate } from '@platform/testing/platform'
import { administrator, newWorkspace, saveAutomation } from './caller.ts'
import type { Kind } from './fault-load.ts'
import { startNats, startPostgres, startRedis, type TestServer } from './servers.ts'

/** What can fail. */
export const dependencies = ['PostgreSQL', 'Redis', 'NATS', 'runtime', 'events', 'workspaces'] as const
export type Dependency = (typeof dependencies)[number]

/** How it fails; `down at start` of the gateway. */
export const faults = ['down at start', 'killed', 'frozen', 'slow 5 s'] as const
export type FaultName = (typeof faults)[number]

/** Seconds a service behind the gateway may take, so that a cell is short. */
export const GATEWAY_TIMEOUT_S = 3

/** A process may take that long to start on a machine that does much else. */
const START_MS = 30_000

/** A dependency that can be broken and mended. */
interface Target {
  proxy: FaultProxy
  kill(): Promise<void>
  start(): Promise<void>
  freeze(): void
  thaw(): void
}

/** One gateway, one of each service, stores of its own, and a fault proxy on every way between them. */
export class FaultPlatform implements AsyncDisposable {
  readonly platform: Platform
  readonly #targets: Record<Dependency, Target>
  readonly #stack: AsyncDisposableStack

  private constructor(platform: Platform, targets: Record<Dependency, Target>, stack: AsyncDisposableStack) {
    this.platform = platform
    this.#targets = targets
    this.#stack = stack
  }

  static async start(): Promise<FaultPlatform> {
    await using stack = new AsyncDisposableStack()
    const proxied = async (server: TestServer) => {
      stack.defer(() => server.stop())
      const proxy = stack.use(await FaultProxy.open(Number(new URL(server.url).port)))
      return { server, proxy, url: proxy.through(server.url).replace(/\/$/, '') }
    }
    const [postgres, redis, nats] = await Promise.all(
      [startPostgres, startRedis, startNats].map(async (start) => proxied(await start())),
    )
    if (postgres === undefined || redis === undefined || nats === undefined) throw new Error('unreachable')
    const services = new Map<string, FaultProxy>()
    const platform = await startSeparate(
      { databaseUrl: postgres.url, cacheUrl: redis.url, brokerUrl: nats.url },
      { GATEWAY_TIMEOUT: String(GATEWAY_TIMEOUT_S), READINESS_CACHE_TTL_MS: '0' },
      {
        counts: { gateway: 1, runtime: 1 },
        through: async (name, port) => {
          const proxy = stack.use(await FaultProxy.open(port))
          services.set(name, proxy)
          return `http://127.0.0.1:${proxy.port}`
        },
      },
    )
    stack.use(platform)
    const store = ({ server, proxy }: { server: TestServer; proxy: FaultProxy }): Target => ({
      ...server,
      proxy,
    })
    const service = (name: string): Target => ({
      proxy: services.get(name) as FaultProxy,
      kill: async () => void (await platform.process(name).stop('SIGKILL')),
      start: () => platform.restart(name),
      freeze: () => void process.kill(platform.process(name).pid, 'SIGSTOP'),
      thaw: () => void process.kill(platform.process(name).pid, 'SIGCONT'),
    })
    const targets = {
      PostgreSQL: store(postgres),
      Redis: store(redis),
      NATS: store(nats),
      runtime: service('runtime'),
      events: service('events'),
      workspaces: service('workspaces'),
    }
    return new FaultPlatform(platform, targets, stack.move())
  }

  /**
   * Breaks a dependency. `down at start` also restarts the gateway without it, which is ready again where it can be.
   */
  async break(dependency: Dependency, fault: FaultName): Promise<void> {
    const target = this.#targets[dependency]
    if (fault === 'slow 5 s') return target.proxy.set({ lateMs: 5000 })
    if (fault === 'frozen') return target.freeze()
    await Promise.all([target.kill(), target.proxy.set('refuse')])
    if (fault === 'killed') return undefined
    await this.platform.process('gateway').stop()
    await this.platform.restart('gateway', { untilReady: false })
    return this.#answers(dependency === 'PostgreSQL' ? '/' : '/sys/readyz')
  }

  /** Mends it; resolves when the dependency is back, not when it is noticed. */
  async mend(dependency: Dependency, fault: FaultName): Promise<void> {
    const target = this.#targets[dependency]
    if (fault === 'frozen') return target.thaw()
    if (fault !== 'slow 5 s') await target.start()
    return target.proxy.set('pass')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }

  async #answers(path: string): Promise<void> {
    const end = Date.now() + START_MS
    while (!(await fetch(this.platform.origin + path).catch(() => undefined))?.ok) {
      if (Date.now() > end)
        throw new Error(`No gateway answers:\n${this.platform.process('gateway').output().slice(-3000)}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** A workspace with a URL that answers, and what the load asks. `eventType` names the events of a cell. */
export async function prepareLoad(platform: Platform) {
  const { jwt, token } = await administrator(platform)
  const workspaceId = await newWorkspace(platform.origin, token)
  const hook = { slug: 'answer', name: 'answer', when: { endpoint: true }, do: [], output: 'here' }
  await saveAutomation(platform.origin, token, workspaceId, hook)
  const kinds = (eventType: string): Kind[] => [
    { name: 'root', method: 'GET', path: '/' },
    { name: 'jwks', method: 'GET', path: '/oidc/jwks' },
    { name: 'me', method: 'GET', path: '/v2/me' },
    { name: 'workspace', method: 'GET', path: `/v2/workspaces/${workspaceId}` },
    { name: 'hook', method: 'POST', path: `/v2/workspaces/${workspaceId}/webhooks/answer`, body: () => ({}) },
    {
      name: 'emit',
      method: 'POST',
      path: `/v2/workspaces/${workspaceId}/events`,
      body: (n) => ({ events: [{ type: eventType, payload: { n } }] }),
    },
  ]
  return { jwt, token, workspaceId, kinds }
}
