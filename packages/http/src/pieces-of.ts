import { setImmediate } from 'node:timers/promises'

/** Small enough that whatever reads a piece holds nobody else up. */
const PIECE_BYTES = 16_384

/**
 * A body that was read whole, piece by piece, for parsers whose work grows with what is in it: between two pieces
 * other requests have their turn, and who stops reading early never does the rest.
 */
export async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer, void> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES)
    await setImmediate()
  }
}
