import { describe, expect, it } from 'vitest'
import {
  compileExpression,
  compilePath,
  compileTemplate,
  ExpressionError,
  evaluate,
  interpolate,
} from './index.ts'

describe('compiled templates', () => {
  it('are parsed once and follow the scope', () => {
    const template = compileTemplate({ 'to {{who}}': ['{{n}}', 'n is {{n}}'] })
    expect(template.isConstant).toBe(false)
    expect(template.evaluate({ who: 'Ann', n: 1 })).toEqual({ 'to Ann': [1, 'n is 1'] })
    expect(template.evaluate({ who: 'Bob', n: 2 })).toEqual({ 'to Bob': [2, 'n is 2'] })
  })

  it('give a fresh copy of what is constant, so that nobody changes the automation', () => {
    const source = { list: [{ a: 1 }] }
    const template = compileTemplate(source)
    const first = template.evaluate({}) as typeof source
    first.list.push({ a: 2 })
    expect(template.isConstant).toBe(true)
    expect(template.evaluate({})).toEqual({ list: [{ a: 1 }] })
    expect(source).toEqual({ list: [{ a: 1 }] })
  })

  it('copy constant parts beside dynamic ones', () => {
    const template = compileTemplate({ fixed: { list: [] as number[] }, moving: '{{x}}' })
    const first = template.evaluate({ x: 1 }) as { fixed: { list: number[] } }
    first.fixed.list.push(1)
    expect(template.evaluate({ x: 2 })).toEqual({ fixed: { list: [] }, moving: 2 })
  })

  it('hand over what a variable holds, streams and other host objects included', () => {
    const stream = new (class Stream {})()
    expect(interpolate('{{body}}', { body: stream })).toBe(stream)
    expect(interpolate({ on: '{{body}}' }, { body: stream })).toEqual({ on: stream })
  })
})

describe('scopes', () => {
  it('can compute variables by name, asking only for what is needed', () => {
    const asked: string[] = []
    const scope = {
      resolve: (name: string) => {
        asked.push(name)
        return name === 'a' ? { b: 1 } : undefined
      },
    }
    expect(evaluate('{{a.b}} == 1 or {{c}}', scope)).toBe(true)
    expect(asked).toEqual(['a'])
  })

  it('may be records without a prototype', () => {
    const scope: Record<string, unknown> = Object.create(null)
    scope.a = Object.assign(Object.create(null), { b: 2 })
    expect(evaluate('{{a.b}}', scope)).toBe(2)
    expect(interpolate('{{a}}!', scope)).toBe('{"b":2}!')
  })

  it('that throw arrive as the cause of the one error there is', () => {
    const cause = new Error('no secret')
    const scope = {
      resolve: () => {
        throw cause
      },
    }
    for (const act of [
      () => evaluate('{{a}}', scope),
      () => interpolate('x {{a}}', scope),
      () => compilePath('a[{{b}}]').resolve(scope),
    ]) {
      expect(act).toThrow(ExpressionError)
      expect(act).toThrow(expect.objectContaining({ cause }))
    }
  })
})

describe('errors', () => {
  it('say where', () => {
    expect(() => compileExpression('1 + now()')).toThrow(
      expect.objectContaining({ offset: 4, name: 'InvalidExpressionSyntax' }),
    )
    expect(() => compileTemplate('ok {{a b}}')).toThrow(expect.objectContaining({ offset: 7 }))
    expect(() => compilePath('a..b')).toThrow(
      expect.objectContaining({ offset: 2, name: 'InvalidVariableNameError' }),
    )
  })
})
