import {
  type AutomationTest,
  type ExpectedOfTest,
  isNativeType,
  type TestDifference,
} from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import { compare, differs, fits, MOST_DIFFERENCES, shortly } from './compare.ts'

/** What a test has seen, as plain JSON. */
export interface Happened {
  readonly output: unknown
  readonly failure: Readonly<Record<string, unknown>> | undefined
  /** Also those of the platform. */
  readonly events: readonly Readonly<Record<string, unknown>>[]
  readonly fetches: readonly Readonly<Record<string, unknown>>[]
  readonly calls: readonly Readonly<Record<string, unknown>>[]
  readonly contexts: Readonly<Record<string, unknown>>
  readonly collections: Readonly<Record<string, readonly unknown[]>>
  readonly answer: Readonly<Record<string, unknown>> | undefined
}

type ListOf = readonly unknown[] | { inAnyOrder: readonly unknown[] } | { including: readonly unknown[] }

/** What of a test is not as it should be. */
export function differencesOf(
  { expect = {} }: Pick<AutomationTest, 'expect'>,
  happened: Happened,
): TestDifference[] {
  const failed = failureDifferences(expect, happened)
  // What it would have come to is of no interest then.
  if (expect.error === undefined && failed.length > 0) return failed
  return [
    ...failed,
    ...(Object.hasOwn(expect, 'output') ? compare(expect.output, happened.output, 'output', 'exact') : []),
    ...listDifferences('events', named(expect.events, 'event'), eventsMeant(expect.events, happened.events)),
    ...listDifferences('fetches', named(expect.fetches, 'url'), happened.fetches),
    ...listDifferences('calls', named(expect.calls, 'automation'), happened.calls),
    ...(expect.contexts === undefined
      ? []
      : compare(expect.contexts, happened.contexts, 'contexts', 'partial')),
    ...Object.entries(expect.collections ?? {}).flatMap(([name, records]) =>
      listDifferences(`collections.${name}`, records, happened.collections[name] ?? []),
    ),
    ...answerDifferences(expect, happened),
  ].slice(0, MOST_DIFFERENCES)
}

function failureDifferences({ error }: ExpectedOfTest, { failure }: Happened): TestDifference[] {
  if (error === undefined) {
    if (failure === undefined) return []
    const { error: name, message, automationSlug, instruction } = failure
    const place = `${automationSlug} at ${instruction}`
    return [{ path: 'error', message: `The run failed in ${place}: ${message} (${name})`, got: failure }]
  }
  const expected = typeof error === 'string' ? { error } : error
  if (failure === undefined) return [{ path: 'error', message: 'The run should fail and did not.', expected }]
  return compare(expected, failure, 'error', 'partial')
}

function answerDifferences({ answer }: ExpectedOfTest, happened: Happened): TestDifference[] {
  if (answer === undefined) return []
  if (happened.answer === undefined)
    return [
      { path: 'answer', message: 'Only a test of an endpoint has an answer: it begins with `endpoint`.' },
    ]
  const { body, chunks, ...rest } = answer
  return [
    ...compare(rest, happened.answer, 'answer', 'partial'),
    ...(Object.hasOwn(answer, 'body') ? compare(body, happened.answer.body, 'answer.body', 'exact') : []),
    ...(chunks === undefined ? [] : compare(chunks, happened.answer.chunks, 'answer.chunks', 'partial')),
  ]
}

/** Events of the platform count only where one of their type is expected. */
function eventsMeant(expected: ListOf | undefined, events: Happened['events']): Happened['events'] {
  const types = new Set(
    itemsOf(named(expected, 'event')).map((one) => (isRecord(one) ? one.event : undefined)),
  )
  return events.filter(({ event }) => !isNativeType(String(event)) || types.has(event))
}

/** A text stands for an item of that name. */
function named(list: ListOf | undefined, field: string): ListOf | undefined {
  const one = (item: unknown) => (typeof item === 'string' ? { [field]: item } : item)
  if (list === undefined) return undefined
  if ('inAnyOrder' in list) return { inAnyOrder: list.inAnyOrder.map(one) }
  return 'including' in list ? { including: list.including.map(one) } : list.map(one)
}

function itemsOf(list: ListOf | undefined): readonly unknown[] {
  if (list === undefined) return []
  if ('inAnyOrder' in list) return list.inAnyOrder
  return 'including' in list ? list.including : list
}

function listDifferences(
  path: string,
  expected: ListOf | undefined,
  got: readonly unknown[],
): TestDifference[] {
  if (expected === undefined) return []
  if ('inAnyOrder' in expected) return unordered(path, expected.inAnyOrder, got, true)
  if ('including' in expected) return unordered(path, expected.including, got, false)
  return compare(expected, got, path, 'partial')
}

function unordered(
  path: string,
  expected: readonly unknown[],
  got: readonly unknown[],
  isAll: boolean,
): TestDifference[] {
  const left = [...got]
  const missing = expected.flatMap((item, index) => {
    const at = left.findIndex((one) => fits(item, one))
    if (at >= 0) left.splice(at, 1)
    return at >= 0 ? [] : [{ ...differs(`${path}[${index}]`, item, undefined), got }]
  })
  const more = isAll ? left : []
  return [
    ...missing,
    ...more.map((one) => ({
      path,
      message: `${path} has one that is not expected: ${shortly(one)}.`,
      got: one,
    })),
  ]
}
