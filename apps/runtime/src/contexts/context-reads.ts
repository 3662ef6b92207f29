type Values = Readonly<Record<string, unknown>>

/** What a run saw of what it shares with others, when it looked first. Without a value there was none. */
export type ReadEntry =
  | readonly ['key', string, string, unknown?]
  | readonly ['whole', string, Values]
  | readonly ['role', string | null]
  | readonly ['email', string | null]

/** The context that is as it was when the run began. */
const CONFIG = 'config'

/**
 * First looks of a run at stored contexts, the configuration, and the role and the address of its user. A run that is
 * done again sees the same, whatever was stored meanwhile; what it did not look at is as it is stored now.
 */
export class ContextReads {
  readonly #add: (entry: ReadEntry) => void
  /** Told of each first look that was made before. */
  readonly #copy: ((entry: ReadEntry) => void) | undefined
  readonly #copied = new Set<string>()
  readonly #kept = new Map<string, Kept>()
  readonly #shown = new Map<string, Values>()
  #role: string | null | undefined
  #email: string | null | undefined

  readonly #later: (readonly ReadEntry[])[]

  /** `entries` are lists of what was seen until the first wait, between it and the next, and so on. */
  constructor(
    [first = [], ...later]: readonly (readonly ReadEntry[])[],
    add: (entry: ReadEntry) => void,
    copy?: (entry: ReadEntry) => void,
  ) {
    this.#add = add
    this.#copy = copy
    this.#later = later
    for (const entry of first) this.#keep(entry)
  }

  /** A wait is over: what others have stored meanwhile is to be seen. The configuration stays as it was. */
  forget(): void {
    const [kept, shown] = [this.#kept.get(CONFIG), this.#shown.get(CONFIG)]
    this.#kept.clear()
    this.#shown.clear()
    this.#role = undefined
    this.#email = undefined
    this.#copied.clear()
    if (kept !== undefined) this.#kept.set(CONFIG, kept)
    if (shown !== undefined) this.#shown.set(CONFIG, shown)
    for (const entry of this.#later.shift() ?? []) this.#keep(entry)
  }

  #keep(entry: ReadEntry): void {
    if (entry[0] === 'role') {
      this.#role = entry[1]
      return
    }
    if (entry[0] === 'email') {
      this.#email = entry[1]
      return
    }
    const kept = this.#keptOf(entry[1])
    const values = entry[0] === 'whole' ? Object.entries(entry[2]) : [[entry[2], entry[3]] as const]
    for (const [key, value] of values) kept.values.set(key, value)
    kept.isWhole ||= entry[0] === 'whole'
  }

  #keptOf(context: string): Kept {
    const kept = this.#kept.get(context) ?? { values: new Map(), isWhole: false }
    this.#kept.set(context, kept)
    return kept
  }

  /** What the run sees of a context, of which this is stored now. */
  shown(context: string, stored: Values): Values {
    const kept = this.#kept.get(context)
    const shown = kept === undefined ? stored : seenAgain(kept, stored)
    this.#shown.set(context, shown)
    return shown
  }

  /** The run looks at one key, or is about to change it. */
  sawKey(context: string, key: string): void {
    const shown = this.#shown.get(context)
    if (shown === undefined) return
    const kept = this.#keptOf(context)
    if (kept.isWhole || kept.values.has(key)) {
      this.#copyKey(context, key, kept)
      return
    }
    kept.values.set(key, undefined)
    this.#add(Object.hasOwn(shown, key) ? ['key', context, key, shown[key]] : ['key', context, key])
  }

  /** The run looks at all of a context. */
  sawWhole(context: string): void {
    const shown = this.#shown.get(context)
    const kept = this.#keptOf(context)
    if (shown === undefined) return
    if (kept.isWhole) {
      this.#copyWhole(context, kept)
      return
    }
    kept.isWhole = true
    const others = Object.entries(shown).filter(([key]) => !kept.values.has(key))
    this.#add(['whole', context, Object.fromEntries(others)])
  }

  #copyKey(context: string, key: string, { values }: Kept): void {
    if (this.#copy === undefined || this.#isCopied(`${context} *`) || this.#isCopied(`${context}.${key}`))
      return
    this.#copied.add(`${context}.${key}`)
    const value = values.get(key)
    this.#copy(value === undefined ? ['key', context, key] : ['key', context, key, value])
  }

  #copyWhole(context: string, { values }: Kept): void {
    if (this.#copy === undefined || this.#isCopied(`${context} *`)) return
    this.#copied.add(`${context} *`)
    const others = [...values].filter(
      ([key, value]) => value !== undefined && !this.#isCopied(`${context}.${key}`),
    )
    this.#copy(['whole', context, Object.fromEntries(others)])
  }

  #isCopied(what: string): boolean {
    return this.#copied.has(what)
  }

  /** The role that the run saw; null for none, undefined when it did not look. */
  get role(): string | null | undefined {
    if (this.#role !== undefined) this.#copyOnce(['role', this.#role])
    return this.#role
  }

  sawRole(role: string | undefined): void {
    this.#add(['role', role ?? null])
  }

  /** The address that the run looked up; null for none, undefined when it did not look. */
  get email(): string | null | undefined {
    if (this.#email !== undefined) this.#copyOnce(['email', this.#email])
    return this.#email
  }

  sawEmail(email: string | undefined): void {
    this.#add(['email', email ?? null])
  }

  #copyOnce(entry: ReadEntry): void {
    if (this.#copy === undefined || this.#isCopied(entry[0])) return
    this.#copied.add(entry[0])
    this.#copy(entry)
  }
}

interface Kept {
  readonly values: Map<string, unknown>
  isWhole: boolean
}

function seenAgain({ values, isWhole }: Kept, stored: Values): Values {
  const seen = [...values].filter(([, value]) => value !== undefined)
  const others = isWhole ? [] : Object.entries(stored).filter(([key]) => !values.has(key))
  return Object.fromEntries([...others, ...seen])
}
