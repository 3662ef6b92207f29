import type { Duplex } from 'node:stream'

/** A message between the service and one of its workers: what it is, as JSON, and the bytes that belong to it. */
export interface Frame<Header> {
  readonly header: Header
  readonly body: Buffer
}

const LENGTHS = 8
const NO_BYTES = Buffer.alloc(0)

/** Sends one frame: two lengths, the JSON, the bytes. */
export function sendFrame(stream: Duplex, header: object, body: string | Uint8Array = NO_BYTES): void {
  const head = Buffer.from(JSON.stringify(header))
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const lengths = Buffer.allocUnsafe(LENGTHS)
  lengths.writeUInt32BE(head.length, 0)
  lengths.writeUInt32BE(bytes.length, 4)
  stream.write(Buffer.concat([lengths, head, bytes]))
}

/**
 * Reads frames until the stream ends. A frame that is larger than allowed, or whose head is no JSON object, ends the
 * reading: who sends such things is not listened to any more.
 */
export function readFrames<Header>(
  stream: Duplex,
  maxBytes: number,
  listeners: { onFrame: (frame: Frame<Header>) => void; onNonsense: () => void },
): void {
  let chunks: Buffer[] = []
  let received = 0
  let wanted = LENGTHS
  const take = (): boolean => {
    const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    const head = all.readUInt32BE(0)
    const size = LENGTHS + head + all.readUInt32BE(4)
    if (size > maxBytes) return false
    wanted = size
    if (all.length < size) return true
    const header = parsed(all.toString('utf8', LENGTHS, LENGTHS + head))
    if (header === undefined) return false
    const rest = all.subarray(size)
    chunks = rest.length > 0 ? [rest] : []
    received = rest.length
    wanted = LENGTHS
    listeners.onFrame({ header: header as Header, body: all.subarray(LENGTHS + head, size) })
    return true
  }
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    received += chunk.length
    while (received >= wanted) {
      if (take()) continue
      stream.destroy()
      chunks = []
      listeners.onNonsense()
      return
    }
  })
}

function parsed(text: string): object | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
