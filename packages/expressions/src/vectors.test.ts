import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  checkExpression,
  checkTemplate,
  compilePath,
  ExpressionError,
  evaluate,
  functionNames,
  interpolate,
  matchesFilter,
  type Options,
} from './index.ts'

interface Vector {
  readonly expression?: string
  readonly template?: unknown
  readonly filter?: unknown
  readonly value?: unknown
  readonly path?: string
  readonly scope?: Record<string, unknown>
  readonly result?: unknown
  readonly error?: string
  readonly problems?: string[]
}

const options: Options = {
  now: () => new Date('2030-06-15T12:00:00Z'),
  random: () => 0.5,
  uuid: () => '01234567-89ab-cdef-0123-456789abcdef',
  locale: 'en',
  timezone: 'Europe/Paris',
}

function load(file: string): Vector[] {
  const text = readFileSync(new URL(`../vectors/${file}.json`, import.meta.url), 'utf8')
  return (JSON.parse(text) as { vectors: Vector[] }).vectors
}

function run(vector: Vector): unknown {
  const scope = vector.scope ?? {}
  if (vector.filter !== undefined) return matchesFilter(vector.value, vector.filter)
  if (vector.path !== undefined) return compilePath(vector.path).resolve(scope)
  if (vector.expression !== undefined) return evaluate(vector.expression, scope, options)
  return interpolate(vector.template, scope, options)
}

function errorOf(vector: Vector): unknown {
  try {
    return run(vector)
  } catch (error) {
    return error
  }
}

for (const file of ['operators', 'functions', 'templates', 'filters', 'paths']) {
  describe(`own vectors: ${file}`, () => {
    for (const vector of load(file)) {
      it(JSON.stringify(vector), () => {
        if (vector.error === undefined) return void expect(run(vector)).toEqual(vector.result)
        const error = errorOf(vector)
        expect(error).toBeInstanceOf(ExpressionError)
        expect(error).toMatchObject({ name: vector.error, message: expect.stringMatching(/\.$/) })
      })
    }
  })
}

describe('own vectors: checks', () => {
  for (const { expression, template, problems } of load('checks')) {
    it(`${expression ?? template}`, () => {
      const found = expression === undefined ? checkTemplate(String(template)) : checkExpression(expression)
      expect(found.map(({ type }) => type)).toEqual(problems)
      for (const { message } of found) expect(message).toMatch(/^[^.].*\.$/s)
    })
  }
})

it('has a vector for every function', () => {
  const all = ['operators', 'functions']
    .flatMap(load)
    .map(({ expression }) => String(expression).toLowerCase())
  const untested = functionNames.filter(
    (name) => !all.some((source) => source.includes(`${name.toLowerCase()}(`)),
  )
  expect(untested).toEqual([])
})
