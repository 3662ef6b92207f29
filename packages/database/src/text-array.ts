/** The types `text` and `tsvector` in the catalogue of every PostgreSQL server (pg_type.h). */
const TEXT_OID = 25
const TSVECTOR_OID = 3614
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const NULL_LENGTH = -1

/**
 * The value of a `text[]`, in the binary form that `array_recv` of PostgreSQL reads. A list of strings means the same,
 * but pg writes each between quotes, character by character, and the server reads it so: of 20 KB of JSON that takes
 * ten times as long as all the rest of sending it. For a list of long texts.
 *
 *     sql`insert into t (text) select unnest(${textArray(texts)}::text[])`
 */
export const textArray = (texts: readonly string[]): Buffer =>
  arrayOf(
    TEXT_OID,
    texts.map((text) => Buffer.byteLength(text)),
    (buffer, at, index) => buffer.write(texts[index] ?? '', at),
  )

/** The value of a `tsvector[]` of vectors in their binary form (`tsvectorrecv`); one that is undefined is null. */
export const vectorArray = (vectors: readonly (Uint8Array | undefined)[]): Buffer =>
  arrayOf(
    TSVECTOR_OID,
    vectors.map((vector) => vector?.length ?? NULL_LENGTH),
    (buffer, at, index) => buffer.set(vectors[index] ?? [], at),
  )

/** An array of elements of these lengths, in bytes, which `write` puts to their places. */
function arrayOf(
  oid: number,
  lengths: readonly number[],
  write: (buffer: Buffer, at: number, index: number) => void,
): Buffer {
  const size = lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(0, length), HEADER_BYTES)
  const buffer = Buffer.allocUnsafe(size)
  // One dimension, whether there are nulls, how many there are, and what the first is counted as.
  const hasNulls = lengths.includes(NULL_LENGTH) ? 1 : 0
  let at = 0
  for (const number of [1, hasNulls, oid, lengths.length, 1]) at = buffer.writeInt32BE(number, at)
  for (const [index, length] of lengths.entries()) {
    at = buffer.writeInt32BE(length, at)
    if (length === NULL_LENGTH) continue
    write(buffer, at, index)
    at += length
  }
  return buffer
}
