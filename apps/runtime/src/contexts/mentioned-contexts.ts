import type { NamedPath, NamedVariable } from '@platform/expressions'
import type { StoredContext } from './contexts.ts'
import { contextDescriptions } from './described-contexts.ts'

const builtins: Readonly<Record<StoredContext, readonly string[]>> = {
  run: Object.keys(contextDescriptions.run.names),
  user: Object.keys(contextDescriptions.user.names),
  session: Object.keys(contextDescriptions.session.names),
  global: Object.keys(contextDescriptions.global.names),
}

/** Names of a context that belong to the platform. */
export const builtinNames = (context: StoredContext): readonly string[] => builtins[context]

/** What the expressions and paths of an automation name, gathered while they are compiled. */
export class Mentions {
  readonly #stored = new Set<StoredContext>()
  readonly #roots = new Set<string>()
  #role = false

  read(variables: readonly NamedVariable[]): void {
    for (const variable of variables) this.#add(variable)
  }

  /** A name that comes from a variable may be that of any context. */
  write({ target, reads }: NamedPath): void {
    this.read(reads)
    if (target !== undefined) this.#add(target)
    else for (const context of storedContexts) this.#stored.add(context)
  }

  /** The contexts whose kept values may be read or written: only those are loaded before a run. */
  get storedContexts(): StoredContext[] {
    return storedContexts.filter((context) => this.#stored.has(context))
  }

  /** True when the role of the user may be asked for, which takes a question to the permissions. */
  get role(): boolean {
    return this.#role
  }

  /** True when a variable of this name may be read. */
  names(variable: string): boolean {
    return this.#roots.has(variable)
  }

  #add({ name, key }: NamedVariable): void {
    this.#roots.add(name)
    if (name === 'user' && (key === undefined || key === 'role')) this.#role = true
    if (isStored(name) && (key === undefined || !builtins[name].includes(key))) this.#stored.add(name)
  }
}

const storedContexts = Object.keys(builtins) as StoredContext[]

const isStored = (name: string): name is StoredContext => Object.hasOwn(builtins, name)
