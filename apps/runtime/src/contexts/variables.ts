import { type Meter, type ResolvedPath, readProperty, type VariableSource } from '@platform/expressions'
import type { CallSite, Change, Contexts } from './contexts.ts'
import { MAX_VARIABLE, requireSize } from './value-size.ts'
import { merged, pushed, removePath, share, writePath } from './write-path.ts'

export type SetType = 'replace' | 'merge' | 'push'

/** The variables one automation call sees: those of the loops around, the contexts of the run, its own. */
export class Variables implements VariableSource {
  readonly #locals: Map<string, unknown>
  readonly #contexts: Contexts
  readonly #place: CallSite
  /** Variables of a loop: its inner writes go there, the outer ones of the same name stay as they are. */
  readonly #loop: Map<string, unknown> | undefined
  readonly #outer: Variables | undefined

  constructor(
    locals: Map<string, unknown>,
    contexts: Contexts,
    place: CallSite,
    loop?: { variables: Map<string, unknown>; outer: Variables },
  ) {
    this.#locals = locals
    this.#contexts = contexts
    this.#place = place
    this.#loop = loop?.variables
    this.#outer = loop?.outer
  }

  /** The same variables with others in front. */
  within(loop: Map<string, unknown>): Variables {
    return new Variables(this.#locals, this.#contexts, this.#place, { variables: loop, outer: this })
  }

  resolve(name: string, meter: Meter): unknown {
    const holder = this.#holderOf(name)
    if (holder === undefined) return this.#contexts.read(name, this.#place, meter)
    return share(holder.get(name), this.#contexts.owned)
  }

  resolveMember(name: string, key: string): unknown {
    const holder = this.#holderOf(name)
    if (holder === undefined) return this.#contexts.readKey(name, key, this.#place)
    return readProperty(share(holder.get(name), this.#contexts.owned), key)
  }

  assign({ segments, append }: ResolvedPath, value: unknown, type: SetType = 'replace'): void {
    const [root] = segments
    if (root === undefined) return
    const name = String(root)
    const holder = this.#holderOf(name)
    requireSize(
      share(value, this.#contexts.owned),
      MAX_VARIABLE,
      () => `The value of "${segments.join('.').slice(0, 100)}"`,
    )
    const change = changeOf(append ? 'push' : type, value, this.#contexts.owned)
    if (holder !== undefined) {
      holder.set(name, writePath(holder.get(name), segments, 1, change.of, this.#contexts.owned))
    } else if (segments.length === 1 && type === 'merge') this.#mergeContext(name, value)
    else this.#contexts.write(segments, change)
  }

  remove(path: ResolvedPath): void {
    const { segments } = path
    const name = String(segments[0] ?? '')
    const holder = this.#holderOf(name)
    if (holder === undefined) this.#contexts.remove(segments)
    else if (segments.length === 1) holder.delete(name)
    else holder.set(name, removePath(holder.get(name), segments, 1, this.#contexts.owned))
  }

  /** True for a name that is that of a context here, and of no variable. */
  isContext(name: string): boolean {
    return this.#holderOf(name) === undefined
  }

  /** What is at a path, without anybody noticing that it was looked at. */
  peek([root, ...rest]: readonly (string | number)[]): unknown {
    const name = String(root ?? '')
    const holder = this.#holderOf(name)
    if (holder !== undefined) return valueAt(share(holder.get(name), this.#contexts.owned), rest)
    const [key, ...inner] = rest
    return key === undefined ? undefined : valueAt(this.#contexts.peek(name, String(key)), inner)
  }

  /** The variables that no context holds, those of loops in front of others. */
  list(): ReadonlyMap<string, unknown> {
    const all = new Map([...(this.#outer?.list() ?? this.#locals), ...(this.#loop ?? [])])
    for (const value of all.values()) share(value, this.#contexts.owned)
    return all
  }

  /** Hands a value to a loop or a call: it may be part of a variable here, which a write there must not change. */
  handOver<T>(value: T): T {
    share(value, this.#contexts.owned)
    return value
  }

  /** Where a variable lives; undefined for a context. */
  #holderOf(name: string): Map<string, unknown> | undefined {
    return this.#holderInLoops(name) ?? (this.#contexts.has(name) ? undefined : this.#locals)
  }

  #holderInLoops(name: string): Map<string, unknown> | undefined {
    if (this.#loop === undefined) return undefined
    if (this.#loop.has(name)) return this.#loop
    return this.#outer === undefined ? undefined : this.#outer.#holderInLoops(name)
  }

  #mergeContext(name: string, value: unknown): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const [key, item] of Object.entries(value)) {
      const of = () => share(item, this.#contexts.owned)
      this.#contexts.write([name, key], { type: 'replace', value: item, of })
    }
  }
}

const valueAt = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inner, key) => readProperty(inner, String(key)), value)

function changeOf(type: SetType, value: unknown, owned: WeakSet<object>): Change {
  if (type === 'push') return { type, value, of: (before) => pushed(before, value, owned) }
  if (type === 'merge') return { type, value, of: (before) => merged(before, value, owned) }
  return { type, value, of: () => value }
}
