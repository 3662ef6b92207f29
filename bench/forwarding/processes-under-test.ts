import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { startEmbedded } from '@platform/database'
import {
  freePorts,
  freshDirectory,
  type PlatformProcess,
  platformSecrets,
  spawnPlatform,
} from '@platform/testing/platform'

/** A gateway alone in front of a stub upstream, the bare proxy in front of the same one, and a token to call with. */
export interface UnderTest extends AsyncDisposable {
  gateway: PlatformProcess
  bare: PlatformProcess
  gatewayUrl: string
  bareUrl: string
  token: string
  upstreamPort: number
  /** Starts another process beside them that stops with them. */
  launch(
    name: string,
    script: string,
    ready: RegExp,
    env: Record<string, string>,
    args: (string | number)[],
  ): Promise<PlatformProcess>
}

/** What a bench changes: an upstream of its own, variables of the gateway. */
export interface UnderTestOptions {
  upstreamPort?: number
  env?: Record<string, string>
  /** What node runs as the gateway, flags of node first; its source without it. */
  main?: string[]
}

export async function startUnderTest(options: UnderTestOptions = {}): Promise<UnderTest> {
  const stack = new AsyncDisposableStack()
  const directory = freshDirectory('bench-')
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const database = await startEmbedded(join(directory, 'postgres'))
  stack.defer(() => database.stop())

  const [ownPort = 0, barePort = 0, gatewayPort = 0] = await freePorts(3)
  const upstreamPort = options.upstreamPort ?? ownPort
  const launch = async (
    name: string,
    script: string,
    ready: RegExp,
    env: Record<string, string>,
    args: (string | number)[] = [],
  ) => {
    const started = spawnPlatform(name, script, env, args)
    stack.defer(async () => void (await started.stop()))
    await started.printed(ready)
    return started
  }
  if (options.upstreamPort === undefined)
    await launch('upstream', 'bench/forwarding/upstream.ts', /is listening/, {}, [upstreamPort])
  const bare = await launch('bare proxy', 'bench/forwarding/bare-proxy.ts', /is listening/, {}, [
    barePort,
    upstreamPort,
  ])
  const [first = '', ...rest] = options.main ?? ['apps/api-gateway/src/main.ts']
  const gateway = await launch(
    'gateway',
    first,
    /service is ready/,
    {
      ...platformSecrets,
      NODE_ENV: 'development',
      HOST: '127.0.0.1',
      PORT: String(gatewayPort),
      DATABASE_URL: database.url,
      API_URL: `http://localhost:${gatewayPort}/v2`,
      WORKSPACES_API_URL: `http://127.0.0.1:${upstreamPort}`,
      SAMPLE_WORKSPACE: 'false',
      RATE_LIMIT_DISABLED: 'true',
      ...options.env,
    },
    rest,
  )
  const gatewayUrl = `http://127.0.0.1:${gatewayPort}`
  return {
    gateway,
    bare,
    gatewayUrl,
    bareUrl: `http://127.0.0.1:${barePort}`,
    token: await anonymousToken(gatewayUrl),
    upstreamPort,
    launch,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function anonymousToken(gatewayUrl: string): Promise<string> {
  const answer = await fetch(`${gatewayUrl}/v2/login/anonymous`, { method: 'POST' })
  const { token } = (await answer.json()) as { token: string }
  return token
}
