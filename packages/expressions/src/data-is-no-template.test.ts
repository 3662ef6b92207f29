import { describe, expect, it } from 'vitest'
import attacks from '../vectors/attacks.json' with { type: 'json' }
import { compilePath, evaluate, interpolate } from './index.ts'

describe('data is never a template', () => {
  it.each(attacks.echoes)('echoes %s byte for byte wherever it comes from', (payload) => {
    const data = { p: payload, o: { p: payload }, l: [payload], user: { email: 'leak' } }
    expect(interpolate('{{p}}', data)).toBe(payload)
    expect(interpolate('<{{p}}>', data)).toBe(`<${payload}>`)
    expect(interpolate({ '{{p}}': ['{{o.p}}', '{{l[0]}}'] }, data)).toEqual({ [payload]: [payload, payload] })
    for (const source of [
      '{{p}} + ""',
      'join({{l}}, "")',
      'replace("x", "x", {{p}})',
      'json(json({{l}}))[0]',
      'slice({{p}}, 0)',
      'deepmerge({a: ""}, {a: {{p}}}).a',
      '"{{p}}"',
    ]) {
      expect(evaluate(source, data), source).toBe(payload)
      expect(interpolate(`{% ${source} %}`, data), source).toBe(payload)
    }
    expect(compilePath('a[{{p}}]').resolve(data).segments).toEqual(['a', payload])
  })
})
