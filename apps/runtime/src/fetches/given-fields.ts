import { Failure } from '@platform/kernel'

/* How the fields of a `fetch` are read once their templates are filled in. */

/** An object of an automation, of which nothing is checked yet. */
export type Fields = Readonly<Record<string, unknown>>

/** A template that names nothing gives undefined, an empty value of YAML null. */
export const isMissing = (value: unknown): value is undefined | null => value === undefined || value === null

/** False for an empty text as well, which is how editors write a field that says nothing. */
export const isGiven = (value: unknown): boolean => !isMissing(value) && value !== ''

/** A value where only a text can be sent. */
export const textOf = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

/** Why a request can't be sent; a sentence that names the field. */
export const invalid = (message: string): Failure => new Failure('InvalidInstructionError', message)
