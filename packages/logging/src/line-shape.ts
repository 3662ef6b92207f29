/** Bytes of the longest line; readers of logs cut or refuse longer ones. */
const LONGEST_LINE_BYTES = 65_536
/** What is kept of each text of a line that is too long; six levels of error and some fields fit into a line. */
const KEPT_CHARACTERS = 2000

/** JSON escapes what is below U+0020; terminals also obey these, and some readers of lines end a line at the last two. */
const OBEYED = /[\u007f-\u009f\u2028\u2029]/g

/** A line that no terminal obeys and no reader refuses. `line` is a JSON object and a line feed. */
export function safeLine(line: string): string {
  const escaped = line.replace(
    OBEYED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  // A character has at most three bytes.
  if (escaped.length * 3 <= LONGEST_LINE_BYTES || Buffer.byteLength(escaped) <= LONGEST_LINE_BYTES)
    return escaped
  return shortened(escaped)
}

/** The same line with its long texts cut; where that is not enough, only its time, level and sentence. */
function shortened(line: string): string {
  const whole = JSON.parse(line) as Record<string, unknown>
  const cut = `${JSON.stringify({ ...whole, cut: true }, (_, value: unknown) => cutText(value))}\n`
  if (Buffer.byteLength(cut) <= LONGEST_LINE_BYTES) return safeLine(cut)
  const { level, time, service, correlationId, msg } = whole
  const least = { level, time, service, correlationId, cut: true, msg }
  return safeLine(`${JSON.stringify(least, (_, value: unknown) => cutText(value))}\n`)
}

const cutText = (value: unknown): unknown =>
  typeof value === 'string' && value.length > KEPT_CHARACTERS ? `${value.slice(0, KEPT_CHARACTERS)}…` : value
