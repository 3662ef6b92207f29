import {
  type CompiledPath,
  compileExpression,
  compilePath,
  compileTemplate,
  namesOfPath,
  readsOfExpression,
  readsOfTemplate,
} from '@platform/expressions'
import type { Call } from '../automations/model.ts'
import type { Mentions } from '../contexts/mentioned-contexts.ts'

/** Reads a value with its templates filled in. What was filled in is data: it is never read as a template. */
export type Read = (call: Call) => unknown

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
    return (call) => template.evaluate(call.variables, call.chain.options)
  }

  /** A bare expression, as in the key of a condition. */
  expression(source: string): Read {
    const expression = compileExpression(source)
    this.#mentions.read(readsOfExpression(source))
    return (call) => expression.evaluate(call.variables, call.chain.options)
  }

  /** The path of a variable that is written or removed. */
  path(text: string): CompiledPath {
    const path = compilePath(text)
    this.#mentions.write(namesOfPath(text))
    return path
  }

  /** Puts the result of an instruction into the variable named by its `output`. */
  writer(output: string | undefined): (call: Call, value: unknown) => void {
    if (output === undefined || output === '') return () => undefined
    const path = this.path(output)
    return (call, value) => call.variables.assign(path.resolve(call.variables, call.chain.options), value)
  }
}
