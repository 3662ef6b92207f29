import { randomBytes } from 'node:crypto'

const acceptable = /^[A-Za-z0-9._-]{8,64}$/
/** Version ff and ids of zeros are no trace (W3C Trace Context). */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?=-|$)/

let pool = Buffer.alloc(0)
let offset = 0

/** 32 hexadecimal characters, from a pool so that the kernel is asked once in 256 requests. */
function newCorrelationId(): string {
  if (offset + 16 > pool.length) {
    pool = randomBytes(4096)
    offset = 0
  }
  offset += 16
  return pool.toString('hex', offset - 16, offset)
}

/** The caller's id when it is well formed, else the trace id of `traceparent`, else a new one (decisions A4). */
export function correlationIdOf(
  given: string | string[] | undefined,
  trace: string | string[] | undefined,
): string {
  if (typeof given === 'string' && acceptable.test(given)) return given
  const traceId = typeof trace === 'string' ? traceparent.exec(trace)?.[1] : undefined
  return traceId ?? newCorrelationId()
}

/** The trace of `traceparent`, where it is another than the correlation id: that one is the trace of requests that name none. */
export function traceIdOf(correlationId: string, trace: string | string[] | undefined): string | undefined {
  if (typeof trace !== 'string') return undefined
  const given = traceparent.exec(trace)?.[1]
  return given === correlationId ? undefined : given
}
