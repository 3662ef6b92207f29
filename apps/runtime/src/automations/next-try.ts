import { durationMs, type Retry } from '@platform/contracts'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '@platform/kernel'

const FIRST_PAUSE_MS = SECOND_MS
const LONGEST_PAUSE_MS = 5 * MINUTE_MS
/** Longer than this no run waits, whatever its automation says. */
const MAX_PAUSE_MS = 30 * DAY_MS

/**
 * How long a run or a step waits for its next try; undefined when it has none. `tries` is how often it was begun anew
 * before.
 */
export function pauseBeforeNextTry(
  retry: Retry | undefined,
  failure: Fault,
  tries: number,
  random: () => number = Math.random,
): number | undefined {
  if (retry === undefined || tries + 1 >= retry.attempts || !isTriedAgain(retry.on, failure)) return undefined
  const { initial, factor = 2, max, jitter = true } = backoffOf(retry.backoff)
  const longest = Math.min(durationMs(max) ?? LONGEST_PAUSE_MS, MAX_PAUSE_MS)
  const pauseMs = Math.min(longest, (durationMs(initial) ?? FIRST_PAUSE_MS) * factor ** tries)
  return jitter ? pauseMs * (0.5 + random() / 2) : pauseMs
}

type Backoff = Exclude<Retry['backoff'], string | number | undefined>

const backoffOf = (backoff: Retry['backoff']): Backoff =>
  typeof backoff === 'object' ? backoff : backoff === undefined ? {} : { initial: backoff }

/** What went wrong; 0 stands for no status. */
export interface Fault {
  readonly name: string
  readonly status: number
}

const timeouts: ReadonlySet<string> = new Set(['WorkflowTimeoutError', 'TimeoutError'])

/** Words for several failures. */
const kinds: Readonly<Record<string, (fault: Fault) => boolean>> = {
  any: () => true,
  network: ({ name, status }) => status === 502 || status === 503 || name === 'NetworkError',
  timeout: ({ name, status }) => status === 504 || timeouts.has(name),
  '4xx': ({ status }) => status >= 400 && status < 500,
  '5xx': ({ status }) => status >= 500,
}

const isTriedAgain = (on: Retry['on'], fault: Fault): boolean =>
  on === undefined || on.some((one) => kinds[one]?.(fault) ?? (one === fault.name || one === fault.status))
