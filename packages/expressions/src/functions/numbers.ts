import type { Run } from '../run.ts'
import { toNumber } from '../values/comparison.ts'

type Parameters = readonly unknown[]

/** A number from text, a boolean or a date. */
export const number = ([value]: Parameters) => toNumber(value)

/** The distance from zero. */
export const abs = ([value]: Parameters) => Math.abs(toNumber(value))

/** round(x, decimals) */
export const round = (parameters: Parameters) => toDecimals(parameters, Math.round)

/** floor(x, decimals) */
export const floor = (parameters: Parameters) => toDecimals(parameters, Math.floor)

/** ceil(x, decimals) */
export const ceil = (parameters: Parameters) => toDecimals(parameters, Math.ceil)

/** The smallest of its parameters or of one list. */
export const min = (parameters: Parameters) => reduce(parameters, Math.min)

/** The largest of its parameters or of one list. */
export const max = (parameters: Parameters) => reduce(parameters, Math.max)

/** rand() in [0, 1); rand(a, b) a whole number from a to b, both possible. */
export function rand([from, to]: Parameters, run: Run): number {
  const random = (run.options.random ?? Math.random)()
  if (from === undefined) return random
  const [low, high] = to === undefined ? [0, toNumber(from)] : [toNumber(from), toNumber(to)]
  return Math.floor(random * (Math.floor(high) - Math.ceil(low) + 1)) + Math.ceil(low)
}

// Shifting the decimal point in writing keeps 1.005 from becoming 1.00499…
function toDecimals([value, digits]: Parameters, apply: (value: number) => number): number {
  const exact = toNumber(value)
  const decimals = digits === undefined ? 0 : Math.trunc(toNumber(digits))
  if (decimals === 0 || !Number.isFinite(exact) || !Number.isFinite(decimals)) return apply(exact)
  return shift(apply(shift(exact, decimals)), -decimals)
}

function shift(value: number, places: number): number {
  const [digits = '0', exponent = '0'] = String(value).split('e')
  return Number(`${digits}e${Number(exponent) + places}`)
}

function reduce(parameters: Parameters, choose: (left: number, right: number) => number): number | undefined {
  const values = parameters.flat(1).map(toNumber)
  return values.length === 0 ? undefined : values.reduce((left, right) => choose(left, right))
}
