import { limits } from '@platform/contracts'
import { Lexer } from 'yaml'

/** Aliases of a document that may be written out. */
export const MAX_ALIASES = 50

const MAX_ANCHORS = 1000
/** Texts, numbers, lists and maps of a document. */
const MAX_VALUES = 50_000
/** Tags are refused later, with their place; so many are refused before. */
const MAX_TAGS = 100
/** Everything, blanks and comments included. */
const MAX_TOKENS = 200_000

/** The token the lexer puts before a plain or block text. */
const TEXT_FOLLOWS = '\u001F'

interface Counts {
  tokens: number
  tags: number
  values: number
  keys: number
  anchors: number
  aliases: number
  /** Open brackets. */
  depth: number
  /** Dashes and question marks of this line, each a level. */
  dashes: number
}

/** What the first character of a token adds. */
const increments: Readonly<Record<string, Partial<Counts>>> = {
  [TEXT_FOLLOWS]: { values: 1 },
  '"': { values: 1 },
  "'": { values: 1 },
  ',': { values: 1 },
  '[': { values: 1, depth: 1 },
  '{': { values: 1, depth: 1 },
  ']': { depth: -1 },
  '}': { depth: -1 },
  ':': { keys: 1 },
  '-': { values: 1, dashes: 1 },
  '?': { values: 1, dashes: 1 },
  '&': { anchors: 1 },
  '*': { aliases: 1 },
  '!': { tags: 1 },
  '%': { tags: 1 },
}

/**
 * Refuses what would take a parser long or deep, in one cheap pass over the tokens: reading YAML costs the square of
 * its keys and anchors, and a stack frame for each level.
 */
export function refuseOversizedYaml(text: string, refuse: (message: string, offset: number) => void): void {
  const counts: Counts = {
    tokens: 0,
    tags: 0,
    values: 0,
    keys: 0,
    anchors: 0,
    aliases: 0,
    depth: 0,
    dashes: 0,
  }
  let offset = 0
  let isText = false
  for (const token of new Lexer().lex(text)) {
    if (!isText) count(counts, token)
    const excess = excessOf(counts)
    if (excess !== undefined) {
      refuse(`The text has ${excess}.`, offset)
      return
    }
    isText = token === TEXT_FOLLOWS && !isText
    // The lexer adds marks of its own, which are not in the text.
    if (text.startsWith(token, offset)) offset += token.length
  }
}

function count(counts: Counts, token: string): void {
  counts.tokens += 1
  if (token === '\n' || token === '\r\n') counts.dashes = 0
  const increment = increments[token.charAt(0)]
  if (increment === undefined) return
  for (const [name, by] of Object.entries(increment)) counts[name as keyof Counts] += by
}

/** Each count with the most it may be, and what is said beyond. */
const maxima: readonly (readonly [keyof Counts, number, string])[] = [
  ['depth', limits.jsonDepth, `more than ${limits.jsonDepth} levels`],
  ['dashes', limits.jsonDepth, `more than ${limits.jsonDepth} levels`],
  ['keys', limits.jsonKeys, `more than ${limits.jsonKeys} keys`],
  ['values', MAX_VALUES, `more than ${MAX_VALUES} values`],
  ['aliases', MAX_ALIASES, `too many aliases: at most ${MAX_ALIASES} are allowed`],
  ['anchors', MAX_ANCHORS, `more than ${MAX_ANCHORS} anchors`],
  ['tags', MAX_TAGS, `more than ${MAX_TAGS} tags and directives`],
  ['tokens', MAX_TOKENS, `more than ${MAX_TOKENS} words, blanks and marks`],
]

const excessOf = (counts: Counts): string | undefined =>
  counts.depth < 0 ? 'a bracket that closes nothing' : maxima.find(([name, most]) => counts[name] > most)?.[2]
