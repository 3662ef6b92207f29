import { describe, expect, it } from 'vitest'
import attacks from '../vectors/attacks.json' with { type: 'json' }
import {
  compilePath,
  compileTemplate,
  ExpressionError,
  evaluate,
  interpolate,
  matchesFilter,
} from './index.ts'

class Host {
  secret = 'hidden'
  method() {
    return this.secret
  }
}

const scope = {
  user: { email: 'a@b.c', tags: ['x'] },
  text: 'abc',
  list: [1, 2],
  host: new Host(),
  fn: () => 'called',
  n: 1,
}

/** What an attempt leads to: its value, or the error as the only other possibility. */
function attempt(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    expect(error).toBeInstanceOf(ExpressionError)
    return error
  }
}

function expectHarmless(value: unknown): void {
  expect(typeof value).not.toBe('function')
  expect([Object.prototype, Array.prototype, String.prototype, globalThis]).not.toContain(value)
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
}

const shapes: ((root: string, chain: string) => string)[] = [
  (root, chain) => `{{${root}.${chain}}}`,
  (root, chain) => `{{${root}["${chain.split('.').join('"]["')}"]}}`,
  (root, chain) => `{% {{${root}}}.${chain} %}`,
  (root, chain) => `{% {{${root}}}["${chain.split('.').join('"]["')}"] %}`,
  (root, chain) => `{% ${root}.${chain} %}`,
  (root, chain) => `{% ${root}.${chain}("return process")() %}`,
  (root, chain) => `{% ${root}["${chain}"]("return this") %}`,
  (root, chain) => `{{${root}[{% "${chain.slice(0, 3)}" + "${chain.slice(3)}" %}]}}`,
]

const generated = [
  ...attacks.classics,
  ...attacks.roots.flatMap((root, i) =>
    attacks.chains.map((chain, j) => shapes[(i * 3 + j) % shapes.length]?.(root, chain) ?? ''),
  ),
]

describe('escapes', () => {
  it(`reaches nothing of the host in ${generated.length} attempts`, () => {
    expect(generated.length).toBeGreaterThan(300)
    for (const source of generated) {
      const value = attempt(() => interpolate(source, scope))
      if (value instanceof ExpressionError) continue
      expectHarmless(value)
      expect(String(JSON.stringify(value)), source).not.toMatch(/native code|\[object|=>|called/)
    }
  })

  it('reaches nothing as bare expressions, keys, filters and paths either', () => {
    for (const source of generated) {
      const bare = source.replace(/^\{% | %\}$/g, '')
      expectHarmless(attempt(() => evaluate(bare, scope)))
      expectHarmless(attempt(() => interpolate({ [source]: source }, scope)))
      expectHarmless(attempt(() => matchesFilter(scope, { [bare]: { $exists: true } })))
      const path = attempt(() => compilePath(bare).resolve(scope))
      if (path instanceof ExpressionError) continue
      expect(JSON.stringify(path)).not.toMatch(/"(__proto__|constructor|prototype)"/)
    }
  })

  it('finds no inherited root in a scope of either kind', () => {
    const source = { resolve: (name: string) => Reflect.get(Object.prototype, name) }
    for (const name of ['toString', 'constructor', 'hasOwnProperty', 'valueOf', '__proto__', 'prototype']) {
      expect(evaluate(`{{${name}}}`, {})).toBeUndefined()
      expect(evaluate(`{{${name}}}`, source)).toBeUndefined()
    }
  })

  it('keeps denied keys out of the objects it builds', () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      expect(() => interpolate({ '{{k}}': 1 }, { k: key })).toThrow(ExpressionError)
      expect(() => compileTemplate(JSON.parse(`{"${key}": "{{x}}"}`))).toThrow(ExpressionError)
    }
  })
})
