import { randomUUID } from 'node:crypto'
import { Breaker, growingPauseMs } from '@platform/kernel'
import { createClient, ErrorReply } from 'redis'
import { type Cache, CacheError } from './cache.ts'
import { Deadline } from './deadline.ts'
import { type Script, scriptOf } from './script.ts'
import { SLIDING_WINDOW, windowArguments } from './sliding-window.ts'

const COMMAND_MS = 150
/** Only a report of readiness waits for a probe, and a slow server is still ready. */
const PROBE_MS = 1000
/** What a probe wrote and could not delete any more is gone by then. */
const PROBE_TTL_MS = 10_000
const CONNECT_MS = 1000
/** Well below what a reader of a rate limit would notice, well above what a busy server needs to recover. */
const PAUSES = { firstPauseMs: 200, longestPauseMs: 2000 }

/** INCRBY and the first use's expiry in one step, so that no counter can stay for ever. */
const INCREMENT = scriptOf(`local value = redis.call('INCRBY', KEYS[1], ARGV[1])
local remaining = redis.call('PTTL', KEYS[1])
if remaining < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  remaining = tonumber(ARGV[2])
end
return {value, remaining}`)

/** A Redis server (or one that speaks its language), connected in the background and connected again for ever. */
export function openRedisCache(url: string): Cache {
  const address = addressOf(url)
  const client = createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    commandsQueueMaxLength: 10_000,
    // Its own timeout ends only commands that were not sent yet, and takes as long as the rest of a command.
    commandOptions: { timeout: 0 },
    // A frozen server is noticed even when there are no calls.
    pingInterval: 5000,
    socket: {
      connectTimeout: CONNECT_MS,
      keepAlive: true,
      reconnectStrategy: (retries) => growingPauseMs(retries, { firstMs: 50, longestMs: 2000 }),
    },
  })
  // Each call fails by itself when the connection is lost; without a listener this event ends the process.
  let lost: unknown
  client.on('error', (error: unknown) => {
    lost = error
  })
  client.on('ready', () => {
    lost = undefined
  })
  client.connect().catch(() => undefined)
  const call = guarded(address)
  const probes = new Deadline(PROBE_MS)
  const runScript = async (
    { text, sha1 }: Script,
    key: string,
    args: readonly number[],
  ): Promise<unknown> => {
    const rest = ['1', key, ...args.map(String)]
    try {
      return await client.sendCommand(['EVALSHA', sha1, ...rest])
    } catch (error) {
      // A server that was started anew has to be told it once.
      if (!(error instanceof ErrorReply && error.message.startsWith('NOSCRIPT'))) throw error
      return await client.sendCommand(['EVAL', text, ...rest])
    }
  }

  return {
    driver: 'redis',
    get: (key) => call(async () => (await client.get(key)) ?? undefined),
    set: (key, value, ttlMs) =>
      call(async () => {
        await client.set(key, value, { expiration: { type: 'PX', value: wholeMs(ttlMs) } })
      }),
    delete: (key) =>
      call(async () => {
        await client.unlink(key)
      }),
    increment: (key, by, ttlMs) =>
      call(async () => {
        const [value, remainingMs] = (await runScript(INCREMENT, key, [by, wholeMs(ttlMs)])) as [
          number,
          number,
        ]
        return { value: Number(value), remainingMs: Number(remainingMs) }
      }),
    slide: (key, use) =>
      call(async () => {
        const reply = await runScript(SLIDING_WINDOW, `${key}:packed`, windowArguments(use))
        const [used, waitMs] = reply as [number | string, number]
        return { isTaken: waitMs === 0, used: Number(used), waitMs }
      }),
    async probe() {
      const key = `readiness-probe-${randomUUID()}`
      const written = { expiration: { type: 'PX', value: PROBE_TTL_MS } } as const
      try {
        await probes.inTime(Promise.all([client.set(key, '1', written), client.unlink(key)]))
      } catch (error) {
        throw toCacheError(error instanceof ErrorReply ? error : (lost ?? error), address)
      }
    },
    [Symbol.asyncDispose]: async () => client.destroy(),
  }
}

/** Runs calls with a limit to each, and none at all for a while after one that got no response. */
function guarded(address: string) {
  const breaker = new Breaker(PAUSES)
  const deadline = new Deadline(COMMAND_MS)
  return async <T>(command: () => Promise<T>): Promise<T> => {
    if (!breaker.allows(performance.now())) {
      throw new CacheError(`The cache at ${address} did not answer just now.`, { unavailable: true })
    }
    try {
      const result = await deadline.inTime(command())
      breaker.succeeded()
      return result
    } catch (error) {
      // A server that responds with an error is not slow.
      if (error instanceof ErrorReply) breaker.succeeded()
      else breaker.failed(performance.now())
      throw toCacheError(error, address)
    }
  }
}

function toCacheError(error: unknown, address: string): CacheError {
  if (error instanceof ErrorReply) {
    return new CacheError(`The cache at ${address} answered: ${error.message}`, {
      cause: error,
      unavailable: true,
      code: /^[A-Z]+/.exec(error.message)?.[0],
    })
  }
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  const how = code === undefined ? "can't be reached or did not answer in time" : `can't be reached (${code})`
  return new CacheError(`The cache at ${address} ${how}.`, { cause: error, unavailable: true, code })
}

const wholeMs = (ttlMs: number): number => Math.max(1, Math.round(ttlMs))

/** Where the server is, without credentials. */
function addressOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port === '' ? '6379' : port}`
}
