import { type AutomationTest, AutomationTestFile, MOST_TESTS } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import {
  formatPath,
  type Path,
  type ProblemDetail,
  readYamlText,
  type SourceText,
  UnreadableText,
} from '@platform/source-texts'
import type { z } from 'zod'

/** A test with its name, and the file that it is from. */
export interface NamedTest {
  readonly file: string
  readonly test: AutomationTest & { readonly name: string }
}

/** A file of tests as its text. */
export interface TestText {
  readonly name: string
  readonly text: string
}

const MOST_PROBLEMS = 50

/**
 * The tests of a text in YAML, which JSON is as well. Throws RequestValidationError naming every problem with its line
 * and column.
 */
export function readTests({ name: file, text }: TestText): NamedTest[] {
  const source = readText(file, text)
  return testsOf(file, source.value, (path) => source.placeOf(path))
}

/** The same of a file that came as an object. */
export const readTestContent = (file: string, content: unknown): NamedTest[] =>
  testsOf(file, content, () => ({ line: 0, column: 0 }))

function readText(file: string, text: string): SourceText {
  try {
    return readYamlText(text)
  } catch (error) {
    if (error instanceof UnreadableText) throw unreadable(file, error.details)
    throw error
  }
}

function testsOf(file: string, value: unknown, placeOf: SourceText['placeOf']): NamedTest[] {
  const parsed = AutomationTestFile.safeParse(value)
  if (!parsed.success) throw unreadable(file, problemsOf(value, parsed.error.issues, placeOf))
  const { tests, name, ...common } = parsed.data
  if (tests === undefined) return [{ file, test: { ...common, name: name ?? titleOf(common, file) } }]
  const listed = Array.isArray(tests)
    ? tests.map((test, index) => [test.name ?? `${index + 1}`, test] as const)
    : Object.entries(tests).map(([title, test]) => [test?.name ?? title, test ?? {}] as const)
  if (listed.length > MOST_TESTS) throw tooMany(file)
  const prefix = name === undefined ? '' : `${name}: `
  return listed.map(([title, test]) => ({ file, test: { ...joined(common, test), name: prefix + title } }))
}

/** What a test without a name is called. */
const titleOf = ({ automation, endpoint, event }: AutomationTest, file: string): string => {
  const begins = automation ?? endpoint ?? event
  if (typeof begins === 'string') return begins
  if (begins === undefined) return file
  return 'path' in begins ? begins.path : begins.event
}

/** Objects that a test adds to, instead of taking their place. */
const ADDED = ['contexts', 'automations', 'modules', 'functions', 'collections', 'expect'] as const
const BEGINNINGS = ['endpoint', 'event', 'schedule', 'automation'] as const

/** What stands above all tests holds for each that does not say otherwise. */
function joined(common: AutomationTest, test: AutomationTest): AutomationTest {
  const isBegun = BEGINNINGS.some((one) => test[one] !== undefined)
  const above = isBegun ? without(common, BEGINNINGS) : common
  const both: AutomationTest = { ...above, ...test }
  for (const field of ADDED) {
    const [before, after] = [common[field], test[field]]
    if (before !== undefined && after !== undefined)
      Object.assign(both, { [field]: field === 'contexts' ? deeper(before, after) : { ...before, ...after } })
  }
  if (common.fetches !== undefined && test.fetches !== undefined)
    both.fetches = [...test.fetches, ...common.fetches]
  return both
}

const without = (test: AutomationTest, fields: readonly string[]): AutomationTest =>
  Object.fromEntries(Object.entries(test).filter(([name]) => !fields.includes(name)))

const deeper = (before: object, after: object): object =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => [
      name,
      { ...Reflect.get(before, name), ...Reflect.get(after, name) },
    ]),
  )

type Issue = z.core.$ZodIssue

function problemsOf(
  value: unknown,
  issues: readonly Issue[],
  placeOf: SourceText['placeOf'],
): ProblemDetail[] {
  return issues
    .flatMap((issue) => deepest(value, issue))
    .slice(0, MOST_PROBLEMS)
    .map(({ path, message }) => {
      const shown = formatPath(path)
      return { ...placeOf(path), path: shown, message: `${shown === '' ? 'The file' : shown}: ${message}.` }
    })
}

interface FoundIssue {
  readonly path: Path
  readonly message: string
}

/** Of several shapes that a value may have, the one is meant that it comes nearest to. */
function deepest(value: unknown, issue: Issue, before: Path = []): FoundIssue[] {
  const path = [...before, ...issue.path.map((one) => (typeof one === 'number' ? one : String(one)))]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], message: 'is no field of a test here' }))
  if (issue.code !== 'invalid_union' || issue.errors.length === 0)
    return [{ path, message: issue.message.replace(/\.$/, '') }]
  const branches = issue.errors.map((errors) => errors.flatMap((one) => deepest(value, one, path)))
  const depth = (found: readonly FoundIssue[]) => Math.max(...found.map((one) => one.path.length))
  return branches.reduce((best, one) => (depth(one) > depth(best) ? one : best))
}

function unreadable(file: string, details: readonly ProblemDetail[]): Failure {
  const [first] = details
  const place = first === undefined || first.line === 0 ? file : `${file}:${first.line}:${first.column}`
  const message = `${place}: ${first?.message ?? 'The tests can’t be read.'}`
  return new Failure('RequestValidationError', message, { details: details.map((one) => ({ file, ...one })) })
}

const tooMany = (file: string) =>
  new Failure('RequestValidationError', `${file} has more than ${MOST_TESTS} tests: split it.`)
