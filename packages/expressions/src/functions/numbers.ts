import { type Run, spend } from '../run.ts'
import { toNumber } from '../values/comparison.ts'

type Parameters = readonly unknown[]

/** A number from text, a boolean or a date. */
export const number = ([value]: Parameters, run: Run) => toNumber(value, run)

/** The distance from zero. */
export const abs = ([value]: Parameters, run: Run) => Math.abs(toNumber(value, run))

/** round(x, decimals) */
export const round = (parameters: Parameters, run: Run) => toDecimals(parameters, Math.round, run)

/** floor(x, decimals) */
export const floor = (parameters: Parameters, run: Run) => toDecimals(parameters, Math.floor, run)

/** ceil(x, decimals) */
export const ceil = (parameters: Parameters, run: Run) => toDecimals(parameters, Math.ceil, run)

/** The smallest of its parameters or of one list. */
export const min = (parameters: Parameters, run: Run) => reduce(parameters, Math.min, run)

/** The largest of its parameters or of one list. */
export const max = (parameters: Parameters, run: Run) => reduce(parameters, Math.max, run)

/** rand() in [0, 1); rand(a, b) a whole number from a on and below b; a where there is none between them. */
export function rand([from, to]: Parameters, run: Run): number {
  const random = (run.options.random ?? Math.random)()
  if (from === undefined) return random
  const [low, high] = to === undefined ? [0, toNumber(from, run)] : [toNumber(from, run), toNumber(to, run)]
  const first = Math.ceil(low)
  return first + Math.floor(random * Math.max(1, Math.ceil(high) - first))
}

// Shifting the decimal point in writing keeps 1.005 from becoming 1.00499…
function toDecimals([value, digits]: Parameters, apply: (value: number) => number, run: Run): number {
  const exact = toNumber(value, run)
  const decimals = digits === undefined ? 0 : Math.trunc(toNumber(digits, run))
  if (decimals === 0 || !Number.isFinite(exact) || !Number.isFinite(decimals)) return apply(exact)
  return shift(apply(shift(exact, decimals)), -decimals)
}

function shift(value: number, places: number): number {
  const [digits = '0', exponent = '0'] = String(value).split('e')
  return Number(`${digits}e${Number(exponent) + places}`)
}

function reduce(
  parameters: Parameters,
  choose: (left: number, right: number) => number,
  run: Run,
): number | undefined {
  for (const parameter of parameters) spend(run, Array.isArray(parameter) ? parameter.length : 1)
  const values = parameters.flat(1).map((value) => toNumber(value, run))
  return values.length === 0 ? undefined : values.reduce((left, right) => choose(left, right))
}
