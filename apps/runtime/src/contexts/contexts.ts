import type { Meter } from '@platform/expressions'
import { Failure } from '@platform/kernel'
import { ContextChanges, partAt, type Segment, type StoredChange, type Write } from './context-changes.ts'
import { charactersOf, contextTooLarge, growthOf, isHuge, leastOf } from './context-room.ts'
import { type Owned, removePath, share, writePath } from './write-path.ts'

/** Contexts whose values outlive a run. */
export type StoredContext = 'global' | 'user' | 'session' | 'run' | 'socket'

/** Contexts that belong to somebody, and may be made those of somebody else. */
export type Rebound = 'user' | 'session'

/** Steps of an evaluation that one key of a context takes which is read as a whole. */
const COPIED_KEY = 10

/** Share of the largest size at which its author is warned. */
const WARNED_AT = 1 / 4

/** Where a read happens; some builtins depend on it. */
export interface CallSite {
  readonly automationSlug: string
  readonly depth: number
}

/** Follows what a run sees of its contexts and changes in them, where it may be done again. */
export interface ContextWatch {
  sawKey(context: string, key: string): void
  sawWhole(context: string): void
  /** Counts a change. Answers its number. */
  count(context: string, key: string): number
  /** True for a change that is stored already, because the run was taken over. */
  isStored(number: number, context: string, key: string): boolean
  /** Whether there was no room for a change; undefined for one that was not done before. */
  wasRefused(number: number): boolean | undefined
  refuse(number: number): void
}

/** A value to put in place of the one before it, and what was said of it. */
export interface Change extends Write {
  readonly of: (before: unknown) => unknown
}

interface Context {
  /** What the journal calls it; another name where it is not the caller's any more. */
  label: string
  /** Read-only values of the platform. */
  readonly builtins: (place: CallSite) => Readonly<Record<string, unknown>>
  readonly builtinNames: ReadonlySet<string>
  /** Values that automations have set, and whether they may. */
  custom: Record<string, unknown>
  readonly writable: boolean
  readonly changes: ContextChanges
  /** When keys are to end that this run has set, Unix milliseconds; null: not any more. */
  readonly expiries: Map<string, number | null>
  /** Keys that end some time, or have ended, as they are stored. */
  ending: ReadonlySet<string>
  /** Most characters that its values have as JSON; undefined where that is to be found out. */
  characters: number | undefined
}

/** Which change it is, of those that are counted, and what was there before it. */
interface ChangePlace {
  readonly path: readonly Segment[]
  readonly number: number | undefined
  readonly before: unknown
}

export interface ContextDefinition {
  builtins?: (place: CallSite) => Readonly<Record<string, unknown>>
  /** Names that can't be written, also those without a value now. */
  builtinNames?: ReadonlySet<string>
  custom?: Record<string, unknown>
  writable: boolean
}

/** What a run changed in a stored context: whole keys, and parts of others. */
export interface ContextPatch {
  readonly context: StoredContext
  readonly values: Record<string, unknown>
  readonly removed: string[]
  readonly changes: readonly StoredChange[]
  readonly expiries: Record<string, number | null>
}

/** What is stored of a context. */
export interface StoredValues {
  readonly values: Readonly<Record<string, unknown>>
  /** Keys that end by themselves, also those that have. */
  readonly ending: readonly string[]
}

/** The named contexts of a run, shared by all its calls. */
export class Contexts {
  readonly owned: Owned = new WeakSet()
  /** Makes a context that of another user or session of the workspace; it is read when it is asked for. */
  readonly rebind: (name: Rebound, id: string) => void
  readonly #definitions: Readonly<Record<string, ContextDefinition>>
  /** Those that the run has come to: most runs come to one or two. */
  readonly #opened = new Map<string, Context>()
  readonly #watch: ContextWatch | undefined
  readonly #maxSizes: Readonly<Record<string, number>>

  /** `maxSizes` are the characters of JSON that contexts may grow to which are stored. */
  constructor(
    definitions: Readonly<Record<string, ContextDefinition>>,
    maxSizes: Readonly<Partial<Record<StoredContext, number>>> = {},
    watch?: ContextWatch,
    rebind: (name: Rebound, id: string) => void = () => undefined,
  ) {
    this.#definitions = definitions
    this.#maxSizes = maxSizes
    this.#watch = watch
    this.rebind = rebind
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#definitions, name)
  }

  /** A context as one object; what the platform says wins over what automations have set. */
  read(name: string, place: CallSite, meter: Meter): unknown {
    const context = this.#open(name)
    if (context === undefined) return undefined
    this.#watch?.sawWhole(context.label)
    const keys = Object.keys(context.custom)
    meter.pay(keys.length * COPIED_KEY)
    for (const key of keys) share(context.custom[key], this.owned)
    return { ...context.custom, ...context.builtins(place) }
  }

  /** One value of a context, without making the whole of it. */
  readKey(name: string, key: string, place: CallSite): unknown {
    const context = this.#open(name)
    if (context === undefined) return undefined
    const builtin = context.builtinNames.has(key) || !context.writable ? context.builtins(place) : {}
    if (Object.hasOwn(builtin, key)) return builtin[key]
    this.#watch?.sawKey(context.label, key)
    return Object.hasOwn(context.custom, key) ? share(context.custom[key], this.owned) : undefined
  }

  /** What a key holds, without anybody noticing that it was looked at. */
  peek(name: string, key: string): unknown {
    const custom = this.#open(name)?.custom ?? {}
    return Object.hasOwn(custom, key) ? share(custom[key], this.owned) : undefined
  }

  /** The keys of a context that have values set by automations, as far as the run knows them. */
  keysOf(name: string): string[] {
    return Object.keys(this.#open(name)?.custom ?? {})
  }

  /** Throws PayloadTooLarge where the context would become too large: then nothing is changed. */
  write(path: readonly Segment[], change: Change): void {
    const { context, key } = this.#target(path)
    const number = this.#watch?.count(context.label, key)
    this.#watch?.sawKey(context.label, key)
    const isNew = path.length === 2 || context.custom[key] === undefined
    const before = partAt(context.custom, path.slice(1))
    context.custom[key] = this.#written(context, change, { path, number, before })
    if (number !== undefined && this.#watch?.isStored(number, context.label, key) === true) return
    context.changes.note(path.slice(1), change, before)
    if (isNew && (context.ending.has(key) || context.expiries.has(key))) context.expiries.set(key, null)
  }

  /** What the key of a path holds after a change of it. */
  #written(context: Context, change: Change, { path, number, before }: ChangePlace): unknown {
    const { custom } = context
    const [name, key] = [String(path[0]), String(path[1])]
    const max = this.#maxSizes[name]
    const wasRefused = number === undefined ? undefined : this.#watch?.wasRefused(number)
    if (max === undefined || wasRefused === false) {
      context.characters = undefined
      return writePath(custom[key], path, 2, change.of, this.owned)
    }
    if (wasRefused === true) throw contextTooLarge(name, max)
    const growth = isHuge(change.value, max) ? max + 1 : growthOf(custom, path.slice(1), change, before)
    context.characters ??= this.#exactSize(custom, max)
    const most = context.characters + growth
    // Where it has to be found out, what is there now must stay as it is until then.
    if (most > max) share(custom[key], this.owned)
    const after = writePath(custom[key], path, 2, change.of, this.owned)
    context.characters = most > max ? this.#exactSize({ ...custom, [key]: after }, max) : most
    if (context.characters <= max) return after
    context.characters = undefined
    if (number !== undefined) this.#watch?.refuse(number)
    throw contextTooLarge(name, max)
  }

  /** Lets a key that was just written end by itself, with all that is in it. */
  expire(path: readonly Segment[], atMs: number): void {
    const { context, key } = this.#target(path)
    if (context.changes.has(key)) context.expiries.set(key, atMs)
  }

  remove(path: readonly Segment[]): void {
    const { context, key } = this.#target(path)
    const number = this.#watch?.count(context.label, key)
    const isStored = number !== undefined && this.#watch?.isStored(number, context.label, key)
    this.#watch?.sawKey(context.label, key)
    const around = partAt(context.custom, path.slice(1, -1))
    const isThere = path.length === 2 || Object.hasOwn(Object(around), path.at(-1) ?? '')
    if (context.characters !== undefined)
      context.characters -= leastOf(share(partAt(context.custom, path.slice(1)), this.owned))
    if (path.length === 2) delete context.custom[key]
    else context.custom[key] = removePath(context.custom[key], path, 2, this.owned)
    if (isThere && isStored !== true) context.changes.noteRemoval(path.slice(1), Array.isArray(around))
  }

  /** Nothing of it is known any more: from now on it is that of somebody else. */
  empty(name: StoredContext, label: string): void {
    const context = this.#open(name)
    if (context === undefined) return
    context.label = label
    context.custom = {}
    context.characters = undefined
    context.changes.clear()
    context.expiries.clear()
    context.ending = noNames
  }

  /** What the journal calls a context. */
  labelOf(name: StoredContext): string {
    return this.#opened.get(name)?.label ?? name
  }

  /** Takes over what earlier runs have stored; what this run has set already stays. */
  load(
    name: StoredContext | 'secret',
    values: StoredValues['values'],
    ending: StoredValues['ending'] = [],
  ): void {
    const context = this.#open(name)
    if (context === undefined) return
    context.characters = undefined
    context.ending = ending.length === 0 ? noNames : new Set(ending)
    for (const [key, value] of Object.entries(values)) {
      const isChanged = context.changes.has(key)
      context.custom[key] = isChanged
        ? context.changes.applied(key, value, context.custom[key], this.owned)
        : value
    }
  }

  /** What the platform did for the run of a value that nothing can be set in; undefined takes it away. */
  show(name: 'secret', key: string, value: unknown): void {
    const context = this.#open(name)
    if (context === undefined) return
    context.custom = Object.fromEntries(Object.entries(context.custom).filter(([one]) => one !== key))
    if (value !== undefined) context.custom[key] = value
  }

  /** Takes the place of everything that was known; what this run has set and not stored stays. */
  reload(name: StoredContext, values: StoredValues['values'], ending: StoredValues['ending']): void {
    const context = this.#open(name)
    if (context === undefined) return
    const { custom, changes } = context
    context.custom = {}
    for (const key of changes.keys) if (Object.hasOwn(custom, key)) context.custom[key] = custom[key]
    this.load(name, values, ending)
  }

  /** The first changed context that has become larger than it may be; asked before anything is stored. */
  findTooLarge(maxSizes: Readonly<Record<StoredContext, number>>): StoredContext | undefined {
    return Object.keys(maxSizes)
      .filter((name): name is StoredContext => this.#opened.get(name)?.changes.isEmpty === false)
      .find((name) => this.#sizeOf(this.#opened.get(name), maxSizes[name]) > maxSizes[name])
  }

  /** Changed contexts of which little room is left, and their characters. */
  listLarge(maxSizes: Readonly<Record<StoredContext, number>>): [StoredContext, number][] {
    return Object.entries(maxSizes).flatMap(([name, max]): [StoredContext, number][] => {
      const context = this.#opened.get(name)
      if (context?.changes.isEmpty !== false) return []
      if ((context.characters ?? max) <= max * WARNED_AT) return []
      const size = this.#exactSize(context.custom, max)
      return size > max * WARNED_AT ? [[name as StoredContext, size]] : []
    })
  }

  /** What is known of it, or as many as it has. */
  #sizeOf(context: Context | undefined, max: number): number {
    return context?.characters ?? this.#exactSize(context?.custom ?? {}, max)
  }

  #exactSize(custom: Readonly<Record<string, unknown>>, max: number): number {
    return charactersOf(custom, max, max * WARNED_AT, this.owned)
  }

  /** What was changed and not taken to be stored. */
  listChanged(names: readonly StoredContext[]): [StoredContext, string][] {
    return names.flatMap((name) =>
      (this.#opened.get(name)?.changes.keys ?? []).map((key): [StoredContext, string] => [name, key]),
    )
  }

  /** Forgets that anything was changed: nothing of it is stored. */
  dropChanges(): void {
    for (const { changes, expiries } of this.#opened.values()) {
      changes.clear()
      expiries.clear()
    }
  }

  /** What is to be stored of the changes since the last call. */
  takePatches(names: readonly StoredContext[]): ContextPatch[] {
    return names.flatMap((name) => {
      const context = this.#opened.get(name)
      if (context === undefined || context.changes.isEmpty) return []
      const expiries = Object.fromEntries(context.expiries)
      context.expiries.clear()
      return [{ context: name, ...context.changes.take(context.custom), expiries }]
    })
  }

  #open(name: string): Context | undefined {
    const opened = this.#opened.get(name)
    if (opened !== undefined || !this.has(name)) return opened
    const {
      builtins = nothing,
      builtinNames = noNames,
      custom = {},
      writable,
    } = this.#definitions[name] as ContextDefinition
    const context: Context = {
      label: name,
      builtins,
      builtinNames,
      custom,
      writable,
      changes: new ContextChanges(),
      expiries: new Map(),
      ending: noNames,
      characters: undefined,
    }
    this.#opened.set(name, context)
    return context
  }

  #target(path: readonly (string | number)[]): { context: Context; key: string } {
    const [first, second] = path
    const name = String(first)
    const context = this.#open(name)
    if (context === undefined || !context.writable) throw readOnly(name)
    if (second === undefined) throw readOnly(name)
    const key = String(second)
    if (context.builtinNames.has(key)) throw readOnly(`${name}.${key}`)
    return { context, key }
  }
}

const nothing = () => ({})
const noNames: ReadonlySet<string> = new Set()

const readOnly = (name: string) =>
  new Failure('InvalidVariableNameError', `"${name}" can't be written: choose another name.`)
