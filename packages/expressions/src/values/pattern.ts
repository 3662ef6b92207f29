import { RE2JS } from 're2js'
import { createCache } from '../cache.ts'
import { ExpressionError } from '../expression-error.ts'
import type { Meter } from '../scope.ts'

const maximumSource = 2_000
const maximumProgram = 5_000
// Reading a pattern is dear: a few milliseconds for the largest.
const perPattern = 1_000
const perCharacter = 20
const perInstruction = 20
const ignoredFlags = 'guyd'

/** Flags of a pattern; those of JavaScript that say nothing of one match are ignored. */
export const knownFlags = `ims${ignoredFlags}`

/** Where a pattern was found; `groups` begins with the whole match. */
export interface PatternMatch {
  readonly start: number
  readonly end: number
  readonly groups: readonly (string | null)[]
}

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
  *matches(text: string): Generator<PatternMatch> {
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
export function readPattern(text: string, meter: Meter): Pattern {
  const known = text.length > maximumSource ? undefined : patterns.get(text)
  if (known !== undefined) return known
  if (text.length > maximumSource) throw refused(text, `it is longer than ${maximumSource} characters`)
  const slashed = /^\/([\s\S]+)\/([a-z]*)$/.exec(text)
  const pattern = slashed
    ? buildPattern(slashed[1] ?? '', slashed[2] ?? '', meter)
    : buildPattern(text, '', meter)
  patterns.set(text, pattern)
  return pattern
}

/** Makes a pattern from its parts, refusing what cannot be matched in linear time. */
export function buildPattern(source: string, flags: string, meter: Meter): Pattern {
  if (source.length > maximumSource) throw refused(source, `it is longer than ${maximumSource} characters`)
  meter.pay(perPattern + source.length * perCharacter)
  const program = compile(source, readFlags(source, flags))
  meter.pay(program.programSize() * perInstruction)
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
