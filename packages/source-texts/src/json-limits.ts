import { limits } from '@platform/contracts'
import { createScanner, type SyntaxKind } from 'jsonc-parser'

/** A key that an object has already. */
export interface RepeatedKey {
  name: string
  offset: number
}

/** Kinds of tokens; the library declares them in a way that leaves no values behind. */
const kinds = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, colon: 6, text: 10, end: 17 }

type Refuse = (message: string, offset: number) => void

/**
 * One pass over the tokens before anything recursive reads the text: refuses what is too deep or has too many keys,
 * and answers the keys that are there twice, of which JSON.parse would silently keep the last.
 */
export function inspectJson(text: string, refuse: Refuse): RepeatedKey[] {
  const scanner = createScanner(text, true)
  const structure = new Structure(refuse)
  let last: { name: string; offset: number } | undefined
  for (let kind: SyntaxKind = scanner.scan(); Number(kind) !== kinds.end; kind = scanner.scan()) {
    const token = Number(kind)
    if (token === kinds.colon && last !== undefined) structure.addKey(last.name, last.offset)
    else structure.pass(token, scanner.getTokenOffset())
    last =
      token === kinds.text ? { name: scanner.getTokenValue(), offset: scanner.getTokenOffset() } : undefined
  }
  return structure.repeated
}

/** Where the pass is: the keys of each object it is inside of; lists have none. */
class Structure {
  readonly repeated: RepeatedKey[] = []
  readonly #open: (Set<string> | undefined)[] = []
  readonly #refuse: Refuse
  #keys = 0

  constructor(refuse: Refuse) {
    this.#refuse = refuse
  }

  pass(token: number, offset: number): void {
    if (token === this.#closer()) this.#open.pop()
    if (token !== kinds.openBrace && token !== kinds.openBracket) return
    if (this.#open.length >= limits.jsonDepth)
      this.#refuse(`The text is nested deeper than ${limits.jsonDepth} levels.`, offset)
    this.#open.push(token === kinds.openBrace ? new Set() : undefined)
  }

  /** What would close the innermost level; anything else closes nothing. */
  #closer(): number | undefined {
    if (this.#open.length === 0) return undefined
    return this.#open.at(-1) === undefined ? kinds.closeBracket : kinds.closeBrace
  }

  addKey(name: string, offset: number): void {
    this.#keys += 1
    if (this.#keys > limits.jsonKeys) this.#refuse(`The text has more than ${limits.jsonKeys} keys.`, offset)
    const siblings = this.#open.at(-1)
    if (siblings?.has(name)) this.repeated.push({ name, offset })
    siblings?.add(name)
  }
}
