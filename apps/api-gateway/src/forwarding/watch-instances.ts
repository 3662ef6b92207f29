import { request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import type { Health, Instance } from './instance.ts'
import type { UpstreamInstances } from './upstream-instances.ts'

/**
 * How often time-outs are looked at: none is later than this, so that a client hears of one at most 200 ms after its
 * deadline.
 */
const TICK_MS = 100
/** How often silence within responses is looked for, which is long: there may be ten thousand streams. */
const SILENCE_TICK_MS = 1000
/** Longest silence within a response. Live streams send something at least every 15 s. */
const SILENCE_MS = 300_000
/** An instance is asked this often; more often where it is broken, or no instance of its service takes requests. */
const PROBE_EVERY_MS = 1000
const PROBE_BROKEN_EVERY_MS = 250
/** A request that waits longer than this has its instance probed. */
const SUSPICIOUS_MS = 1000

/** Ends requests whose time is over, probes instances and asks for names again, until disposed. */
export function watchInstances(upstreams: readonly UpstreamInstances[]): Disposable {
  const tick = () => {
    const now = Date.now()
    for (const upstream of upstreams) {
      upstream.resolveNames(now).catch(() => undefined)
      const known = { count: upstream.list.length, hasGood: upstream.hasGood }
      for (const instance of [...upstream.list, ...upstream.leaving]) {
        expire(instance, now)
        if (needsProbe(instance, known, now)) {
          instance.probedAt = now
          probeInstance(instance).catch(() => undefined)
        }
      }
    }
  }
  const look = () => {
    const now = Date.now()
    for (const { list, leaving } of upstreams)
      for (const instance of [...list, ...leaving]) cutSilent(instance, now)
  }
  const timers = [setInterval(tick, TICK_MS), setInterval(look, SILENCE_TICK_MS)]
  for (const timer of timers) timer.unref()
  return {
    [Symbol.dispose]: () => {
      for (const timer of timers) clearInterval(timer)
    },
  }
}

function expire(instance: Instance, now: number): void {
  for (const request of [...instance.waiting])
    if (now - request.waitingSince >= request.timeoutMs) request.expire()
}

function cutSilent(instance: Instance, now: number): void {
  for (const response of instance.responses) if (now - response.silentSince >= SILENCE_MS) response.cut()
}

/** An instance that is alone and well is asked nothing: its responses say enough. */
function needsProbe(
  instance: Instance,
  { count, hasGood }: { count: number; hasGood: boolean },
  now: number,
): boolean {
  if (instance.isProbing) return false
  if (instance.breaker.isOpen || !hasGood) return now - instance.probedAt >= PROBE_BROKEN_EVERY_MS
  if (now - instance.probedAt < PROBE_EVERY_MS) return false
  return count > 1 || instance.health !== 'ready' || waitsLong(instance, now)
}

function waitsLong({ waiting }: Instance, now: number): boolean {
  for (const request of waiting) if (now - request.waitingSince >= SUSPICIOUS_MS) return true
  return false
}

/** As long as a connection may take */
const PROBE_MS = 1000
/** Errors that say something about this process and nothing about the instance. */
const ours = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL'])
/**
 * Errors by which the host itself says that no process takes the connection; the second, when it waited to be taken as
 * listening ended.
 */
const refusals = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE'])

/**
 * What a probe finds: its health; that no process listens any more, though the host is there; or that no connection can
 * be made. Undefined when it could not be asked.
 */
export type Finding = Health | 'refused' | 'unreachable' | undefined

/**
 * Asks an instance whether it takes requests, on a connection of its own: one that is there already says nothing
 * about a host that is gone. Any response means ready, unless it is 503, which says why.
 */
async function probe(origin: string, servername: string | undefined): Promise<Finding> {
  const { promise, resolve } = Promise.withResolvers<Finding>()
  const url = new URL('/sys/readyz', origin)
  let isConnected = false
  const silent = () => resolve(isConnected ? 'frozen' : 'unreachable')
  const options = { agent: false, ...(servername === undefined ? {} : { servername }) } as const
  const request = (url.protocol === 'https:' ? overHttps : overHttp)(url, options, (response) => {
    const found = (health: Health) => {
      resolve(health)
      response.destroy()
    }
    if (response.statusCode !== 503) return found('ready')
    response.once('data', (body: Buffer) => found(body.includes('"starting"') ? 'starting' : 'draining'))
    response.once('end', () => found('draining'))
  })
  // What arrived while this process was busy is read before it is judged.
  const giveUp = () => {
    // First: ending it here looks like a connection that was reset there.
    silent()
    request.destroy()
  }
  const timer = setTimeout(() => setImmediate(giveUp), PROBE_MS)
  request.on('socket', (socket) =>
    socket.once('connect', () => {
      isConnected = true
    }),
  )
  request.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
    if (ours.has(code)) resolve(undefined)
    else if (!isConnected && refusals.has(code)) resolve('refused')
    else silent()
  })
  request.on('close', () => {
    clearTimeout(timer)
    silent()
  })
  request.end()
  return promise
}

/**
 * Asks and remembers. Requests that wait for an instance that can't be reached any more are ended. Where just no
 * process listens they are not: the host ends the connections of a process that died itself, so those that are open
 * belong to one that leaves, and still finishes what it has.
 */
export async function probeInstance(instance: Instance): Promise<void> {
  instance.isProbing = true
  // What throws here must not be the last probe of the instance.
  const finding = await probe(instance.origin, instance.servername).finally(() => {
    instance.isProbing = false
  })
  if (finding === undefined) return
  if (finding === 'refused' || finding === 'unreachable') {
    instance.breaker.unreachable()
    // Whatever is there next has to say that it is ready.
    instance.health = 'unasked'
    if (finding === 'refused') return
    for (const request of [...instance.waiting]) request.disconnect()
    return
  }
  if (finding === 'frozen') {
    // A process that was never ready says nothing while it is busy starting.
    if (instance.canServe) instance.health = finding
    return
  }
  instance.health = finding
  instance.breaker.succeeded()
}
