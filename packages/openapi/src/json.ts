/** A JSON object of the document. */
export type Json = Record<string, unknown>

/** True for a JSON object. */
export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
