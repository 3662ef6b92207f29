import { format } from '@cfworker/json-schema'
import { compileExpression } from '@platform/expressions'
import { pay } from './validation-budget.ts'

const PREFIX = 'pattern:'

const matching = compileExpression('{{text}} matches regex({{pattern}})')

/**
 * The validator matches `pattern` with the engine of JavaScript, which a clever text can keep busy for ever. It looks
 * formats up by name, so a pattern becomes a format of this name, answered below by the regular expressions of the
 * language: linear in the text.
 */
export const patternAsFormat = (pattern: string): string => PREFIX + pattern

/** The pattern of such a name; undefined for real formats. */
export const patternOfFormat = (name: string): string | undefined =>
  name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined

const answers = {
  get(_: object, name: string | symbol) {
    const pattern = typeof name === 'string' ? patternOfFormat(name) : undefined
    if (pattern === undefined) return undefined
    return (text: string) => Boolean(matching.evaluate({ text, pattern }, { onSpent: (steps) => pay(steps) }))
  },
}

// Looked up only for names the validator does not know itself, and nothing has to be remembered.
Object.setPrototypeOf(format, new Proxy({}, answers))
