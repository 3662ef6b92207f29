import type { Instance } from './instance.ts'
import { probeInstance } from './probe.ts'
import type { UpstreamInstances } from './upstream-instances.ts'

/**
 * How often time-outs are looked at; none is later than this, and answers at most 200 ms after their deadline
 * (reliability I6).
 */
const TICK_MS = 100
/** How often silence within answers is looked for, which is long: there may be ten thousand streams. */
const SILENCE_TICK_MS = 1000
/** Longest silence within an answer. Live streams send something at least every 15 s. */
const SILENCE_MS = 300_000
/** A healthy instance is asked this often, one that is broken more often. */
const PROBE_EVERY_MS = 1000
const PROBE_BROKEN_EVERY_MS = 250
/** A request that waits longer than this makes us ask whether anybody is there. */
const SUSPICIOUS_MS = 1000

/** Ends requests whose time is over, probes instances and asks for names again, until disposed. */
export function watchInstances(upstreams: readonly UpstreamInstances[]): Disposable {
  const tick = () => {
    const now = Date.now()
    for (const upstream of upstreams) {
      upstream.resolveNames(now).catch(() => undefined)
      for (const instance of [...upstream.list, ...upstream.leaving]) {
        expire(instance, now)
        if (needsProbe(instance, upstream.list.length, now)) {
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
  for (const answer of instance.answering) if (now - answer.silentSince >= SILENCE_MS) answer.cut()
}

/** One that is alone and well is asked nothing: its answers say enough. */
function needsProbe(instance: Instance, instances: number, now: number): boolean {
  if (instance.isProbing) return false
  if (instance.breaker.isOpen) return now - instance.probedAt >= PROBE_BROKEN_EVERY_MS
  if (now - instance.probedAt < PROBE_EVERY_MS) return false
  return instances > 1 || instance.health !== 'ready' || waitsLong(instance, now)
}

function waitsLong({ waiting }: Instance, now: number): boolean {
  for (const request of waiting) if (now - request.waitingSince >= SUSPICIOUS_MS) return true
  return false
}
