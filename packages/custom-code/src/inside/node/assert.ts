import { inspect, isDeepStrictEqual } from './node-util.ts'

type Matches =
  | RegExp
  | ((error: unknown) => boolean)
  | Record<string, unknown>
  | (new () => Error)
  | undefined

class AssertionError extends Error {
  override readonly name = 'AssertionError'
  readonly code = 'ERR_ASSERTION'
  readonly actual: unknown
  readonly expected: unknown

  constructor({ message, actual, expected }: { message: string; actual?: unknown; expected?: unknown }) {
    super(message)
    this.actual = actual
    this.expected = expected
  }
}

function demand(holds: unknown, given: unknown, message: string, actual?: unknown, expected?: unknown): void {
  if (holds) return
  if (given instanceof Error) throw given
  throw new AssertionError({ message: given === undefined ? message : String(given), actual, expected })
}

const both = (actual: unknown, verb: string, expected: unknown): string =>
  `Expected ${inspect(actual)} ${verb} ${inspect(expected)}.`

function ok(value: unknown, message?: unknown): void {
  demand(value, message, `${inspect(value)} is not true.`, value, true)
}

const compares =
  (verb: string, holds: (actual: unknown, expected: unknown) => boolean) =>
  (actual: unknown, expected: unknown, message?: unknown): void =>
    demand(holds(actual, expected), message, both(actual, verb, expected), actual, expected)

function fits(error: unknown, expected: Matches): boolean {
  if (expected === undefined || typeof expected === 'string') return true
  if (expected instanceof RegExp) return expected.test(String(error))
  if (typeof expected === 'object')
    return Object.entries(expected).every(([name, value]) => {
      const found = (error as Record<string, unknown>)[name]
      return value instanceof RegExp ? value.test(String(found)) : isDeepStrictEqual(found, value)
    })
  const isClass = expected === Error || expected.prototype instanceof Error
  return isClass
    ? error instanceof (expected as new () => Error)
    : (expected as (thrown: unknown) => unknown)(error) === true
}

function throws(act: () => unknown, expected?: Matches, message?: unknown): void {
  try {
    act()
  } catch (error) {
    if (fits(error, expected)) return
    throw error
  }
  demand(false, message, 'Expected something to be thrown.')
}

async function rejects(
  act: Promise<unknown> | (() => Promise<unknown>),
  expected?: Matches,
  message?: unknown,
) {
  try {
    await (typeof act === 'function' ? act() : act)
  } catch (error) {
    if (fits(error, expected)) return
    throw error
  }
  demand(false, message, 'Expected it to be rejected.')
}

const strict = {
  ok,
  equal: compares('to be', Object.is),
  notEqual: compares('not to be', (a, b) => !Object.is(a, b)),
  deepEqual: compares('to equal', isDeepStrictEqual),
  notDeepEqual: compares('not to equal', (a, b) => !isDeepStrictEqual(a, b)),
  match: compares('to match', (text, pattern) => (pattern as RegExp).test(String(text))),
  doesNotMatch: compares('not to match', (text, pattern) => !(pattern as RegExp).test(String(text))),
  fail: (message?: unknown): void => demand(false, message, 'Failed'),
  ifError: (value: unknown): void => demand(value === null || value === undefined, value, ''),
  throws,
  rejects,
  AssertionError,
}

const own = {
  ...strict,
  // biome-ignore lint/suspicious/noDoubleEquals: what it is for
  equal: compares('to equal', (a, b) => a == b || Object.is(a, b)),
  // biome-ignore lint/suspicious/noDoubleEquals: what it is for
  notEqual: compares('not to equal', (a, b) => a != b),
  strictEqual: strict.equal,
  notStrictEqual: strict.notEqual,
  deepStrictEqual: strict.deepEqual,
  notDeepStrictEqual: strict.notDeepEqual,
}

const callable = (value: unknown, message?: unknown): void => ok(value, message)
/** The module: a function that has all the others. */
export const assert = Object.assign(callable, own, {
  strict: Object.assign((value: unknown, message?: unknown): void => ok(value, message), own, strict),
})
