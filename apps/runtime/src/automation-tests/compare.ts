import type { TestDifference } from '@platform/contracts'
import { ExpressionError, matchesFilter } from '@platform/expressions'
import { isRecord } from '@platform/kernel'

/** How an object is compared: it has these fields and no others, or these and whatever else. */
export type Strictness = 'exact' | 'partial'

/** Differences of one test that are told. */
export const MOST_DIFFERENCES = 20
/** Of comparing one value with a matcher. */
const LIMITS = { steps: 200_000 }

/** `uuid()` of expressions has no dashes. */
const UUID = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})$/i
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/

/** What `{ $any: … }` may name. */
const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  object: isRecord,
  array: (value) => Array.isArray(value),
  uuid: (value) => typeof value === 'string' && UUID.test(value),
  date: (value) => typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value)),
}

/** What is not as expected, each with its path. `got` is plain JSON. */
export function compare(
  expected: unknown,
  got: unknown,
  path: string,
  strictness: Strictness,
): TestDifference[] {
  if (isMatcher(expected)) return compareWithMatcher(expected, got, path)
  if (Array.isArray(expected)) return compareLists(expected, got, path, strictness)
  if (isRecord(expected)) return compareObjects(expected, got, path, strictness)
  // What is nothing in an automation is null in a file.
  return Object.is(expected, got) || (expected === null && got === undefined)
    ? []
    : [differs(path, expected, got)]
}

/** True where a value is just as expected. */
export const fits = (expected: unknown, got: unknown): boolean =>
  compare(expected, got, '', 'partial').length === 0

function isMatcher(expected: unknown): expected is Record<string, unknown> {
  return isRecord(expected) && Object.keys(expected).some((key) => key.startsWith('$'))
}

function compareWithMatcher(expected: Record<string, unknown>, got: unknown, path: string): TestDifference[] {
  const { $any, $exact, $partial, ...filter } = expected
  const differences: TestDifference[] = []
  if ($any !== undefined) differences.push(...compareKind($any, got, path))
  if ('$exact' in expected) differences.push(...compare($exact, got, path, 'exact'))
  if ('$partial' in expected) differences.push(...compare($partial, got, path, 'partial'))
  if (Object.keys(filter).length > 0) differences.push(...compareWithFilter(filter, got, path))
  return differences
}

function compareKind(kind: unknown, got: unknown, path: string): TestDifference[] {
  const kinds = [kind].flat()
  const unknown = kinds.find((one) => typeof one !== 'string' || !Object.hasOwn(KINDS, one))
  if (unknown !== undefined)
    return [wrongTest(path, `$any takes ${Object.keys(KINDS).join(', ')}, not ${shortly(unknown)}`)]
  if (kinds.some((one) => KINDS[String(one)]?.(got) === true)) return []
  return [differs(path, { $any: kind }, got)]
}

/** The operators of `jsonmatch`. */
function compareWithFilter(filter: Record<string, unknown>, got: unknown, path: string): TestDifference[] {
  try {
    const holder = got === undefined ? {} : { value: got }
    return matchesFilter(holder, { value: filter }, { limits: LIMITS }) ? [] : [differs(path, filter, got)]
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return [wrongTest(path, error.message.replace(/\.$/, ''))]
  }
}

function compareLists(
  expected: readonly unknown[],
  got: unknown,
  path: string,
  strictness: Strictness,
): TestDifference[] {
  if (!Array.isArray(got)) return [differs(path, expected, got)]
  const differences = expected
    .slice(0, got.length)
    .flatMap((item, index) => compare(item, got[index], `${path}[${index}]`, strictness))
  if (expected.length !== got.length)
    differences.unshift({
      path,
      message: `${path} should have ${counted(expected.length)} and has ${got.length}.`,
      expected,
      got,
    })
  return differences.slice(0, MOST_DIFFERENCES)
}

const counted = (count: number): string => (count === 1 ? 'one item' : `${count} items`)

function compareObjects(
  expected: Record<string, unknown>,
  got: unknown,
  path: string,
  strictness: Strictness,
): TestDifference[] {
  if (!isRecord(got)) return [differs(path, expected, got)]
  const below = (key: string) => (path === '' ? key : `${path}.${key}`)
  const differences = Object.entries(expected).flatMap(([key, value]) =>
    compare(value, Object.hasOwn(got, key) ? got[key] : undefined, below(key), strictness),
  )
  if (strictness === 'exact')
    for (const [key, value] of Object.entries(got))
      if (!Object.hasOwn(expected, key))
        differences.push({ path: below(key), message: `${below(key)} is not expected.`, got: value })
  return differences.slice(0, MOST_DIFFERENCES)
}

/** A matcher that is none. */
const wrongTest = (path: string, why: string): TestDifference => ({
  path,
  message: `What the test expects of ${path} can’t be compared: ${why}.`,
})

export const differs = (path: string, expected: unknown, got: unknown): TestDifference => ({
  path,
  message:
    got === undefined
      ? `${path} is missing: ${shortly(expected)} is expected.`
      : `${path} should be ${shortly(expected)} and is ${shortly(got)}.`,
  expected,
  ...(got === undefined ? {} : { got }),
})

/** A value in a sentence. */
export function shortly(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`
}
