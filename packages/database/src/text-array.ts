/** The types `text` and `tsvector` in the catalogue of every PostgreSQL server (pg_type.h). */
const TEXT_OID = 25
const TSVECTOR_OID = 3614
const HEADER_BYTES = 20
const LENGTH_BYTES = 4

/**
 * The value of a `text[]`, in the binary form that `array_recv` of PostgreSQL reads. A list of strings means the same,
 * but pg writes each between quotes, character by character, and the server reads it so: of 20 KB of JSON that takes
 * ten times as long as all the rest of sending it. For a list of long texts.
 *
 *     sql`insert into t (text) select unnest(${textArray(texts)}::text[])`
 */
export const textArray = (texts: readonly string[]): Buffer => arrayOf(TEXT_OID, texts)

/**
 * The value of a `tsvector[]` of lexemes without positions, in the same form (`tsvectorrecv`): as a text each would be
 * read character by character. The lexemes of one are different, in any order.
 */
export const vectorArray = (vectors: readonly (readonly string[])[]): Buffer =>
  arrayOf(
    TSVECTOR_OID,
    vectors.map((lexemes) => [...lexemes, ''].join(END_OF_LEXEME)),
    vectors.map(({ length }) => length),
  )

/** A lexeme ends with a zero and the number of its positions, which has two bytes. */
const END_OF_LEXEME = '\0\0\0'

/** Elements are texts, or texts behind a number of parts. */
function arrayOf(oid: number, texts: readonly string[], partCounts?: readonly number[]): Buffer {
  const countBytes = partCounts === undefined ? 0 : LENGTH_BYTES
  const lengths = texts.map((text) => countBytes + Buffer.byteLength(text))
  const size = lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, HEADER_BYTES)
  const buffer = Buffer.allocUnsafe(size)
  // One dimension, no nulls, how many there are, and what the first is counted as.
  let at = 0
  for (const number of [1, 0, oid, texts.length, 1]) at = buffer.writeInt32BE(number, at)
  for (const [index, text] of texts.entries()) {
    at = buffer.writeInt32BE(lengths[index] ?? 0, at)
    if (partCounts !== undefined) at = buffer.writeInt32BE(partCounts[index] ?? 0, at)
    at += buffer.write(text, at)
  }
  return buffer
}
