/** A leaf of a document or a value of a filter. */
export type Scalar = string | number | boolean | null

export const isScalar = (value: unknown): value is Scalar =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** The text form of a value, by which `5` and `"5"` are equal; numbers are written out, as PostgreSQL writes them. */
export const textOf = (value: Scalar): string => (typeof value === 'number' ? writeOut(value) : String(value))

function writeOut(value: number): string {
  const text = String(Object.is(value, -0) ? 0 : value)
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (match === null) return text
  const [, sign = '', first = '', fraction = '', exponent = '0'] = match
  const digits = first + fraction
  const point = 1 + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits.padEnd(point, '0')}`
}
