/** The type `text` in the catalogue of every PostgreSQL server (pg_type.h). */
const TEXT_OID = 25
const HEADER_BYTES = 20
const LENGTH_BYTES = 4

/**
 * The value of a `text[]`, in the binary form that `array_recv` of PostgreSQL reads. A list of strings means the same,
 * but pg writes each between quotes, character by character, and the server reads it so: of 20 KB of JSON that takes
 * ten times as long as all the rest of sending it. For a list of long texts.
 *
 *     sql`insert into t (text) select unnest(${textArray(texts)}::text[])`
 */
export function textArray(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text))
  const size = lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, HEADER_BYTES)
  const buffer = Buffer.allocUnsafe(size)
  // One dimension, no nulls, how many there are, and what the first is counted as.
  let at = 0
  for (const number of [1, 0, TEXT_OID, texts.length, 1]) at = buffer.writeInt32BE(number, at)
  for (const [index, text] of texts.entries()) {
    at = buffer.writeInt32BE(lengths[index] ?? 0, at)
    at += buffer.write(text, at)
  }
  return buffer
}
