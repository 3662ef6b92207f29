import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  checkExpression,
  checkTemplate,
  compilePath,
  countUnclosed,
  evaluate,
  interpolate,
  listFunctionCalls,
  listTemplateTokens,
  matchesFilter,
  type SyntaxProblem,
} from './index.ts'

interface Vector {
  readonly id: string
  readonly fn: string
  readonly expr: unknown
  readonly context: Record<string, unknown> | null
  readonly mode?: string
  readonly matcher?: string
  readonly expected?: unknown
}

const folder =
  process.env.CONFORMANCE_DIR ?? fileURLToPath(new URL('../../../../shared/conformance', import.meta.url))
const isThere = existsSync(`${folder}/expressions.json`)
if (!isThere) console.warn(`SKIPPED: no conformance data at ${folder}; set CONFORMANCE_DIR to run it.`)

const exceptions = new Map([
  ['old-225', 'asks for data to be interpolated again, which is refused: data is never a template'],
])

const options = { locale: 'en', timezone: 'Europe/Paris', now: () => new Date('2026-01-01T00:00:00Z') }

function scopeOf(context: Vector['context']): Record<string, unknown> {
  if (context?.$unserializable !== true) return context ?? {}
  const circular: Record<string, unknown> = {}
  circular.self = circular
  return { var: circular }
}

function verify(vector: Vector, act: () => unknown): void {
  if (vector.matcher === 'throws') return void expect(act).toThrow()
  const value = vector.mode?.startsWith('condition') ? Boolean(act()) : act()
  if (vector.matcher === 'gte') expect(value).toBeGreaterThanOrEqual(Number(vector.expected))
  else if (vector.matcher === 'lt') expect(value).toBeLessThan(Number(vector.expected))
  else if (vector.matcher === 'lte') expect(value).toBeLessThanOrEqual(Number(vector.expected))
  else if (vector.matcher === 'regex') expect(value).toMatch(new RegExp(String(vector.expected)))
  else expect(value).toEqual(vector.expected)
}

function verifySyntax(vector: Vector): void {
  const problems = [vector.expr].flat().flatMap((text) => checkTemplate(String(text)))
  const { valid, errors } = vector.expected as {
    valid: boolean
    errors?: { type: string; function?: string }[]
  }
  expect(problems.length === 0).toBe(valid)
  const wanted = (errors ?? []).map((error) => [error.type, error.function])
  expect(problems.map(({ type, name }) => [type, type === 'unknownFunction' ? name : undefined])).toEqual(
    wanted,
  )
}

const verdicts: Record<string, (vector: Vector) => void> = {
  evaluate: (vector) => verify(vector, () => evaluate(String(vector.expr), scopeOf(vector.context), options)),
  interpolate: (vector) => verify(vector, () => interpolate(vector.expr, scopeOf(vector.context), options)),
  jsonPathMatches: (vector) => verify(vector, () => matchesFilter(vector.context, vector.expr)),
  tokens: (vector) =>
    expect(
      listTemplateTokens(String(vector.expr)).map(({ type, innerContent }) => ({ type, innerContent })),
    ).toEqual(vector.expected),
  delimiters: (vector) => {
    const counts = countUnclosed(String(vector.expr))
    const valid = counts.unclosedVariables + counts.unclosedExpressions === 0
    expect({ valid, ...counts }).toEqual(vector.expected)
  },
  functionCalls: (vector) => expect(listFunctionCalls(String(vector.expr))).toEqual(vector.expected),
  syntax: verifySyntax,
}

describe.skipIf(!isThere)('shared vectors', () => {
  const { vectors } = isThere
    ? (JSON.parse(readFileSync(`${folder}/expressions.json`, 'utf8')) as { vectors: Vector[] })
    : { vectors: [] }
  for (const vector of vectors) {
    const reason = exceptions.get(vector.id)
    const name = `${vector.id}: ${JSON.stringify(vector.expr)}`
    if (reason !== undefined) it.skip(`${name} (${reason})`)
    else it(name, () => verdicts[vector.fn]?.(vector) ?? expect(verdicts).toHaveProperty(vector.fn))
  }

  it('has few exceptions', () => expect(exceptions.size).toBeLessThanOrEqual(5))
})

/** Every template, condition key and variable name of an automation, checked as saving would. */
function problemsOf(value: unknown, isConditions = false): SyntaxProblem[] {
  if (typeof value === 'string') return checkTemplate(value)
  if (Array.isArray(value)) return value.flatMap((item) => problemsOf(item))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => {
    if (key === 'comment' || key === 'description') return []
    if (isConditions && key !== 'default') return [...checkExpression(key), ...problemsOf(item)]
    return [...checkTemplate(key), ...problemsOf(item, key === 'conditions')]
  })
}

function automations(kind: 'valid' | 'invalid'): [string, unknown][] {
  if (!isThere) return []
  return readdirSync(`${folder}/automations/${kind}`).map((file) => [
    file,
    parse(readFileSync(`${folder}/automations/${kind}/${file}`, 'utf8'), { logLevel: 'silent' }),
  ])
}

function names(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = ['set', 'delete']
    .map((key) => Reflect.get(value, key)?.name)
    .filter((name) => typeof name === 'string')
  return [...own, ...Object.values(value).flatMap(names)]
}

describe.skipIf(!isThere)('shared automations', () => {
  it.each(automations('valid'))('%s passes the syntax check', (_, automation) => {
    expect(problemsOf(automation)).toEqual([])
    for (const name of names(automation)) compilePath(name)
  })

  it.each([
    ['001.yml', ['missingBrackets', 'unknownFunction']],
    ['002.yml', ['missingBrackets']],
    ['003.yml', ['unclosedExpression']],
    ['026.yml', ['unknownFunction']],
  ])('%s is flagged', (file, types) => {
    const automation = automations('invalid').find(([name]) => name === file)?.[1]
    expect(problemsOf(automation).map(({ type }) => type)).toEqual(types)
  })
})
