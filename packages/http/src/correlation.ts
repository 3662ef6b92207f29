import { randomFillSync } from 'node:crypto'

const acceptable = /^[A-Za-z0-9._-]{8,64}$/
/** Version ff and ids of zeros are no trace (W3C Trace Context). */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?=-|$)/

const TIME_CHARACTERS = 12
const RANDOM_CHARACTERS = 20
const random = Buffer.alloc(2560)
let texts = ''
let offset = 0
let timeMs = 0
let time = ''

/**
 * 32 hexadecimal characters: the time in milliseconds, so that ids of one time stand side by side in an index, and 80
 * random bits, cut from a text that is made once in 256 requests. A trace id (W3C Trace Context) is random in its last
 * 56 bits only.
 */
function newCorrelationId(): string {
  if (offset === texts.length) {
    texts = randomFillSync(random).toString('hex')
    offset = 0
  }
  offset += RANDOM_CHARACTERS
  const now = Date.now()
  if (now !== timeMs) {
    timeMs = now
    time = now.toString(16).padStart(TIME_CHARACTERS, '0')
  }
  return time + texts.slice(offset - RANDOM_CHARACTERS, offset)
}

/** The caller's id when it is well formed, else the trace id of `traceparent`, else a new one. */
export function correlationIdOf(
  given: string | string[] | undefined,
  trace: string | string[] | undefined,
): string {
  if (typeof given === 'string' && acceptable.test(given)) return given
  const traceId = typeof trace === 'string' ? traceparent.exec(trace)?.[1] : undefined
  return traceId ?? newCorrelationId()
}

/**
 * The trace of `traceparent`, where it is another than the correlation id: that one is the trace of requests that
 * name none.
 */
export function traceIdOf(correlationId: string, trace: string | string[] | undefined): string | undefined {
  if (typeof trace !== 'string') return undefined
  const given = traceparent.exec(trace)?.[1]
  return given === correlationId ? undefined : given
}
