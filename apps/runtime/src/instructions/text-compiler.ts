import {
  type CompiledPath,
  compileExpression,
  compilePath,
  compileTemplate,
  type NamedPath,
  type NamedVariable,
  namesOfPath,
  readsOfExpression,
  readsOfTemplate,
} from '@platform/expressions'
import { assign } from '../automations/change-variable.ts'
import type { Frame } from '../automations/model.ts'
import type { StoredContext } from '../contexts/contexts.ts'
import { builtinNames } from '../contexts/described-contexts.ts'

/** Reads a value with its templates filled in. What was filled in is data: it is never read as a template. */
export type Read = (frame: Frame) => unknown

/**
 * Compiles everything of an automation that reads or writes variables, and remembers which it names: nothing else may
 * do it.
 */
export class TextCompiler {
  readonly #mentions: Mentions

  constructor(mentions: Mentions) {
    this.#mentions = mentions
  }

  /** A value with templates in it. */
  reader(value: unknown): Read {
    if (value === undefined) return () => undefined
    const template = compileTemplate(value)
    this.#mentions.read(readsOfTemplate(value))
    return (frame) => template.evaluate(frame.variables, frame.run.options)
  }

  /** A bare expression, as in the key of a condition. */
  expression(source: string): Read {
    const expression = compileExpression(source)
    this.#mentions.read(readsOfExpression(source))
    return (frame) => expression.evaluate(frame.variables, frame.run.options)
  }

  /** The path of a variable that is written or removed. */
  path(text: string): CompiledPath {
    const path = compilePath(text)
    this.#mentions.write(namesOfPath(text))
    return path
  }

  /** Puts the result of an instruction into the variable named by its `output`. */
  writer(output: string | undefined): (frame: Frame, value: unknown) => void {
    if (output === undefined || output === '') return () => undefined
    const path = this.path(output)
    return (frame, value) => assign(frame, path.resolve(frame.variables, frame.run.options), value)
  }
}

/** What the expressions and paths of an automation name, gathered while they are compiled. */
export class Mentions {
  readonly #stored = new Set<StoredContext>()
  readonly #roots = new Set<string>()
  #role = false
  #email = false

  read(variables: readonly NamedVariable[]): void {
    for (const variable of variables) this.#add(variable)
  }

  /** A name that comes from a variable may be that of any context. */
  write({ target, reads }: NamedPath): void {
    this.read(reads)
    if (target !== undefined) this.#add(target)
    else for (const context of storedContexts) this.#stored.add(context)
  }

  /** The contexts whose stored values may be read or written: only those are loaded before a run. */
  get storedContexts(): StoredContext[] {
    return storedContexts.filter((context) => this.#stored.has(context))
  }

  /** True when the role of the user may be asked for, which takes a question to the permissions. */
  get role(): boolean {
    return this.#role
  }

  /** True when the address of the user may be asked for, which a run of an event has to look up. */
  get email(): boolean {
    return this.#email
  }

  /** True when a variable of this name may be read. */
  names(variable: string): boolean {
    return this.#roots.has(variable)
  }

  #add({ name, key }: NamedVariable): void {
    this.#roots.add(name)
    if (name === 'user' && (key === undefined || key === 'role')) this.#role = true
    if (name === 'user' && (key === undefined || key === 'email')) this.#email = true
    if (isStored(name) && (key === undefined || !builtinNames(name).has(key))) this.#stored.add(name)
  }
}

const storedContexts = [
  'run',
  'user',
  'session',
  'global',
  'socket',
] as const satisfies readonly StoredContext[]

const isStored = (name: string): name is StoredContext => storedContexts.some((one) => one === name)
