/** Bytes of the longest line; readers of logs cut or refuse longer ones. */
const LONGEST_LINE_BYTES = 65_536
/** What a pipe takes whole or not at all (PIPE_BUF of Linux): of several writers no two mix within it. */
export const UNMIXED_BYTES = 4096

/**
 * What is kept of each text of a line that is too long, and where that is not enough: an escaped character takes six.
 */
interface Kept {
  usual: number
  least: number
}
/** Six levels of error and some fields fit into a line. */
const KEPT: Kept = { usual: 2000, least: 2000 }
const KEPT_UNMIXED: Kept = { usual: 400, least: 120 }

/**
 * JSON escapes what is below U+0020; terminals also obey these, and some readers of lines end a line at the last two.
 */
const OBEYED = /[\u007f-\u009f\u2028\u2029]/g
const NOT_ASCII = /[\u007f-\uffff]/g

/** A line that no terminal obeys and no reader refuses. `line` is a JSON object and a line feed. */
export function safeLine(line: string): string {
  const escaped = line.replace(OBEYED, codeOf)
  // A character has at most three bytes.
  if (escaped.length * 3 <= LONGEST_LINE_BYTES || Buffer.byteLength(escaped) <= LONGEST_LINE_BYTES)
    return escaped
  return shortened(escaped, KEPT, safeLine)
}

/**
 * The same for one of several processes that share a pipe: so short that it stays whole. A character is a byte of it.
 */
export function unmixedLine(line: string): string {
  const escaped = line.replace(NOT_ASCII, codeOf)
  return escaped.length <= UNMIXED_BYTES ? escaped : shortened(escaped, KEPT_UNMIXED, unmixedLine)
}

const codeOf = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The same line with its long texts cut; where that is not enough, only its time, level and sentence. */
function shortened(line: string, kept: Kept, fit: (line: string) => string): string {
  const whole = JSON.parse(line) as Record<string, unknown>
  if (whole.cut !== true) return fit(cutTexts({ ...whole, cut: true }, kept.usual))
  const { level, time, service, correlationId, msg } = whole
  return fit(cutTexts({ level, time, service, correlationId, cut: true, msg }, kept.least))
}

const cutTexts = (fields: Record<string, unknown>, kept: number): string =>
  `${JSON.stringify(fields, (_, value: unknown) =>
    typeof value === 'string' && value.length > kept ? `${value.slice(0, kept)}…` : value,
  )}\n`
