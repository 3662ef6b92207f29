import { RE2JS } from 're2js'
import { createCache } from '../cache.ts'
import { ExpressionError } from '../expression-error.ts'

const maximumSource = 2_000
const maximumProgram = 5_000
const ignoredFlags = 'guyd'

/** A regular expression that runs in time linear to the text, whatever the pattern. */
export class Pattern {
  readonly source: string
  readonly flags: string
  readonly #program: RE2JS

  constructor(source: string, flags: string, program: RE2JS) {
    this.source = source
    this.flags = flags
    this.#program = program
  }

  test(text: string): boolean {
    return this.#program.test(text)
  }

  /** How much dearer than one comparison per character a search can be. */
  get cost(): number {
    return this.#program.programSize()
  }

  /** Every match with its groups, from left to right. */
  *matches(text: string): Generator<{ start: number; end: number; groups: (string | null)[] }> {
    const matcher = this.#program.matcher(text)
    while (matcher.find()) {
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index))
      yield { start: matcher.start(), end: matcher.end(), groups }
    }
  }

  toString(): string {
    return this.flags === '' ? this.source : `/${this.source}/${this.flags}`
  }
}

const patterns = createCache<Pattern>(500)

/** Reads `source` or `/source/flags` as JavaScript writes them. */
export function readPattern(text: string): Pattern {
  const known = patterns.get(text)
  if (known !== undefined) return known
  if (text.length > maximumSource) throw refused(text, `it is longer than ${maximumSource} characters`)
  const slashed = /^\/([\s\S]+)\/([a-z]*)$/.exec(text)
  const pattern = slashed ? buildPattern(slashed[1] ?? '', slashed[2] ?? '') : buildPattern(text, '')
  patterns.set(text, pattern)
  return pattern
}

/** Makes a pattern from its parts, refusing what cannot be matched in linear time. */
export function buildPattern(source: string, flags: string): Pattern {
  if (source.length > maximumSource) throw refused(source, `it is longer than ${maximumSource} characters`)
  const program = compile(source, readFlags(source, flags))
  if (program.programSize() > maximumProgram) throw refused(source, 'its repetitions make it too large')
  return new Pattern(source, flags, program)
}

function compile(source: string, flags: number): RE2JS {
  try {
    // Inside a class \b is a backspace for JavaScript and nothing for RE2.
    return RE2JS.compile(RE2JS.translateRegExp(source.replaceAll('[\\b]', '\\x08')), flags)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'unknown'
    throw refused(source, reason)
  }
}

function readFlags(source: string, flags: string): number {
  let mask = 0
  for (const flag of flags) {
    if (flag === 'i') mask |= RE2JS.CASE_INSENSITIVE
    else if (flag === 'm') mask |= RE2JS.MULTILINE
    else if (flag === 's') mask |= RE2JS.DOTALL
    else if (!ignoredFlags.includes(flag)) throw refused(source, `the flag "${flag}" does not exist`)
  }
  return mask
}

function refused(source: string, reason: string): ExpressionError {
  return new ExpressionError(`The regular expression "${source.slice(0, 60)}" is not supported: ${reason}.`)
}
