import { isDeepStrictEqual } from './deep-equal.ts'
import { inspect } from './inspect.ts'

export { types } from './value-kinds.ts'
export { inspect, isDeepStrictEqual }
export const { TextDecoder, TextEncoder } = globalThis

/** Texts as they are; the rest as `inspect` shows it. */
const shown = (value: unknown): string => (typeof value === 'string' ? value : inspect(value))

const FORMATS: Readonly<Record<string, (value: unknown) => string>> = {
  s: (value) => (typeof value === 'object' && value !== null ? inspect(value, { depth: 0 }) : String(value)),
  d: (value) => (typeof value === 'object' ? 'NaN' : String(Number(value))),
  i: (value) => (typeof value === 'object' ? 'NaN' : String(Number.parseInt(String(value), 10))),
  f: (value) => String(Number.parseFloat(String(value))),
  j: (value) => JSON.stringify(value) ?? 'undefined',
  o: (value) => inspect(value, { depth: 4 }),
  O: (value) => inspect(value),
  c: () => '',
}

export function format(...values: unknown[]): string {
  const [first, ...others] = values
  if (typeof first !== 'string') return values.map(shown).join(' ')
  const text = first.replace(/%([sdifjoOc%])/g, (whole, kind: string) => {
    if (kind === '%') return values.length > 1 ? '%' : whole
    return others.length === 0 ? whole : (FORMATS[kind]?.(others.shift()) ?? whole)
  })
  return [text, ...others.map(shown)].join(' ')
}

type Callback = (error: unknown, value?: unknown) => void
type Anything = (...parameters: unknown[]) => unknown

const custom = Symbol.for('nodejs.util.promisify.custom')

/** A function that takes a callback last, as one that gives a promise. */
export const promisify = Object.assign(
  (original: Anything & { [custom]?: Anything }): Anything =>
    original[custom] ??
    function (this: unknown, ...parameters) {
      return new Promise((resolve, reject) => {
        const callback: Callback = (error, value) => (error ? reject(error) : resolve(value))
        original.call(this, ...parameters, callback)
      })
    },
  { custom },
)

/** The other way round. */
export const callbackify = (original: (...parameters: unknown[]) => Promise<unknown>): Anything =>
  function (this: unknown, ...parameters) {
    const callback = parameters.pop() as Callback
    original.apply(this, parameters).then(
      (value) => queueMicrotask(() => callback(null, value)),
      (error: unknown) =>
        queueMicrotask(() => callback(error ?? new Error('It was rejected without a reason.'))),
    )
  }

export const deprecate = <T>(one: T): T => one

export function inherits(child: Anything, parent: Anything): void {
  Object.defineProperty(child, 'super_', { value: parent, writable: true, configurable: true })
  Object.setPrototypeOf(child.prototype as object, parent.prototype as object)
}

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')
export const stripVTControlCharacters = (text: string): string => String(text).replace(COLOURS, '')
