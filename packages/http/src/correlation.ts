import { randomFillSync } from 'node:crypto'

const acceptable = /^[A-Za-z0-9._-]{8,64}$/
/** Version ff and ids of zeros are no trace (W3C Trace Context). */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?=-|$)/

const ID_CHARACTERS = 32
const random = Buffer.alloc(4096)
let ids = ''
let offset = 0

/** 32 hexadecimal characters, cut from a text that is made once in 256 requests. */
function newCorrelationId(): string {
  if (offset === ids.length) {
    ids = randomFillSync(random).toString('hex')
    offset = 0
  }
  offset += ID_CHARACTERS
  return ids.slice(offset - ID_CHARACTERS, offset)
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
