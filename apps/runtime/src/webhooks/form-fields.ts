import { Failure } from '@platform/kernel'

const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/** Adds a field; its second value makes it a list. NUL characters are refused: no text here may have them. */
export function addField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (forbidden.has(name)) throw invalid(`The form has a field "${name}", which is not allowed.`)
  if (`${name}${typeof value === 'string' ? value : ''}`.includes('\u0000')) {
    throw invalid('The form holds a NUL character, which no text here may have.')
  }
  const before = fields[name]
  if (before === undefined) fields[name] = value
  else fields[name] = Array.isArray(before) ? [...before, value] : [before, value]
}

const invalid = (message: string) => new Failure('RequestValidationError', message)
