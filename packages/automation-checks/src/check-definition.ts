import { AutomationInput, durationMs } from '@platform/contracts'
import { Failure, isRecord } from '@platform/kernel'
import type { Problem, ProblemDetail, SourceText } from '@platform/source-texts'
import { checkArgumentSchemas, checkBranchReferences } from './check-argument-schemas.ts'
import { checkPlainData } from './check-plain-data.ts'
import { checkSchemaGrowth } from './check-schema-growth.ts'
import { checkRetriedFailures, checkSteps } from './check-steps.ts'
import { checkTexts } from './check-texts.ts'
import { checkTriggers } from './check-triggers.ts'
import { schemaProblems } from './schema-problems.ts'

/** Most problems in one response. */
const MAX_PROBLEMS = 50
/** Problems looked for: they are found in another order than that of the text. */
const MAX_FOUND = 200

interface Expected {
  /** False for a patch, which may leave anything out. */
  isWhole: boolean
  /** Seconds there must be between two times of a schedule. */
  leastSeconds: number
}

/** Every problem of a definition, in the order of the text. */
export function checkDefinition(source: SourceText, value: unknown, expected: Expected): ProblemDetail[] {
  const unreadable = checkPlainData(value)
  const found = unreadable === undefined ? firstOf(problemsOf(value, expected), MAX_FOUND) : [unreadable]
  const details = found.map((problem) => source.locate(problem))
  const seen = new Set<string>()
  const distinct = details.filter(({ path, message, line, column }) => {
    const key = JSON.stringify([path, message, line, column])
    return !seen.has(key) && seen.add(key)
  })
  return distinct.sort((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_PROBLEMS)
}

function firstOf<T>(items: Iterable<T>, maximum: number): T[] {
  const taken: T[] = []
  for (const item of items) {
    taken.push(item)
    if (taken.length === maximum) break
  }
  return taken
}

function* problemsOf(value: unknown, { isWhole, leastSeconds }: Expected): Generator<Problem> {
  yield* schemaProblems(AutomationInput, value, [], 'an automation')
  if (!isRecord(value)) return
  if (isWhole) yield* checkPurpose(value)
  yield* checkSlug(value.slug)
  yield* checkArgumentSchemas(value.arguments, ['arguments'])
  yield* checkBranchReferences(value.schemas, ['schemas'])
  yield* checkSchemaGrowth(value)
  yield* checkTriggers(value.when, ['when'], leastSeconds)
  yield* checkSteps(value.do, ['do'])
  yield* checkRetriedFailures(value.retry, ['retry'])
  yield* checkDebounce(value.debounce)
  yield* checkTexts(value.concurrency, ['concurrency'])
  yield* checkTexts(value.debounce, ['debounce'])
  yield* checkTexts(value.output, ['output'])
}

/** A run that begins at the latest before its time has come waits for nothing: the period would count for nothing. */
function* checkDebounce(debounce: unknown): Generator<Problem> {
  if (!isRecord(debounce)) return
  const [periodMs, maxMs] = [durationMs(debounce.period), durationMs(debounce.max)]
  if (periodMs === undefined || maxMs === undefined || maxMs < 1 || maxMs >= periodMs) return
  yield {
    path: ['debounce', 'max'],
    message: 'is shorter than debounce.period: make it longer, or leave it out',
  }
}

/** Slugs are keys of objects; these have another meaning there. */
const forbiddenSlugs = ['__proto__', 'constructor', 'prototype']

/** An automation without steps is one that only answers. */
function* checkPurpose(value: Readonly<Record<string, unknown>>): Generator<Problem> {
  if (value.do === undefined && value.output === undefined) {
    yield { path: ['do'], message: 'is missing: write a list of instructions, or an output' }
  }
}

function* checkSlug(slug: unknown): Generator<Problem> {
  if (typeof slug !== 'string') return
  if (forbiddenSlugs.includes(slug))
    yield { path: ['slug'], message: 'is a word that is not allowed as a slug' }
  if (!/^\/|\/$|\/\/|^\s|\s$/.test(slug)) return
  yield {
    path: ['slug'],
    message: 'must not begin or end with a slash or a space, nor hold two slashes in a row',
  }
}

/** The refusal of a definition: the first problem as a sentence, all of them as details. */
export function invalidAutomation(details: ProblemDetail[]): Failure {
  const [first] = details
  if (first === undefined) return new Failure('InvalidAutomation', 'The automation is not valid.')
  const more = details.length - 1
  const others = more === 0 ? '' : ` There ${more === 1 ? 'is 1 more problem' : `are ${more} more problems`}.`
  const message = `Line ${first.line}, column ${first.column}: ${first.message}${others}`
  return new Failure('InvalidAutomation', message, { details })
}
