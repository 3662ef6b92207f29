const REQUIRED = / required$/

/**
 * Sentences about what a caller of the released API would trip over: something is gone or has changed its type or
 * status, or something new is asked for. What became optional to send, or certain to be answered, breaks nobody.
 */
export function breakingChanges(released: readonly string[], present: readonly string[]): string[] {
  const now = new Set(present)
  const before = new Set(released)
  const gone = released
    .filter((line) => !now.has(line) && !isLoosened(line, now))
    .map((line) => `Gone: ${line}`)
  const asked = present
    .filter((line) => isAsked(line) && REQUIRED.test(line) && !before.has(line))
    .filter((line) => isKnownPlace(line, before))
    .map((line) => `Newly required: ${line}`)
  return [...gone, ...asked]
}

const isAsked = (line: string): boolean => / (takes|asks) /.test(line)

function isLoosened(line: string, now: ReadonlySet<string>): boolean {
  const isRequired = REQUIRED.test(line)
  if (isAsked(line)) return isRequired && now.has(line.replace(REQUIRED, ''))
  return !isRequired && now.has(`${line} required`)
}

/** A field of something that was not there before breaks nobody. */
function isKnownPlace(line: string, before: ReadonlySet<string>): boolean {
  const [operation = ''] = line.split(/ (?:takes|asks) /)
  if (!before.has(operation)) return false
  const parent = / asks (\S*)\.[^.\s]+ /.exec(line)?.[1]?.replace(/(\[\]|\|\d+)+$/, '') ?? ''
  return parent === '' || [...before].some((one) => one.startsWith(`${operation} asks ${parent} `))
}
