const LONGEST = 500

/** What is taken out of a message, in this order. */
const secrets: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Everything before the last @ of an address: a password may have an @ of its own.
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)\S*@/gi, '$1'],
  [/\b(password|passwd|pwd|secret|token|api[-_]?key)(["']?\s*[=:]\s*)("[^"]*"|'[^']*'|\S+)/gi, '$1$2***'],
  [/\b(?:bearer|basic)\s+[\w.~+/=-]+/gi, '***'],
  [/\beyJ[\w-]+\.[\w.-]+/g, '***'],
  [/\b(?:select\s.+?\sfrom|insert\s+into|update\s+\S+\s+set|delete\s+from)\s.*/gis, '[statement]'],
]

/**
 * The message of an error as operators may see it: one line, no credential, no SQL, no stack, never endless
 * (reliability T-RDY-1).
 */
export function safeMessage(error: unknown): string {
  const whole = error instanceof Error ? error.message.slice(0, 4 * LONGEST) : ''
  const scrubbed = secrets.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), whole)
  const [line = ''] = scrubbed.split(/\r?\n/, 1)
  return line.trim() === '' ? 'The probe failed.' : line.slice(0, LONGEST)
}
