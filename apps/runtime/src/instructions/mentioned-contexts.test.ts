import { describe, expect, test } from 'vitest'
import { compiled, type TestAutomation } from '../../test/testing.ts'
import type { StoredContext } from '../contexts/contexts.ts'

const automationOf = (main: TestAutomation) => compiled({ main }).compile('main')
const valued = (value: unknown): TestAutomation => ({ do: [{ set: { name: 'x', value } }] })
const all: StoredContext[] = ['run', 'user', 'session', 'global', 'socket']

describe('the contexts that are loaded before a run', () => {
  test.each<[string, TestAutomation, StoredContext[]]>([
    ['a value', valued('{{session.cart}}'), ['session']],
    ['a whole context', valued('{{ session }}'), ['session']],
    ['a whole context for a function', valued('{% json({{global}}) %}'), ['global']],
    ['a bare word', valued('{% length(session) %}'), ['session']],
    ['a bare word in a condition', { do: [{ conditions: { 'global == 1': [] } }] }, ['global']],
    ['a path of bare words', { do: [{ conditions: { 'user.cart exists': [] } }] }, ['user']],
    ['brackets', valued('{{session["cart"]}}'), ['session']],
    ['blanks', valued('{{ session . cart }}'), ['session']],
    ['brackets behind parentheses', valued('{% ({{session}}).cart %}'), ['session']],
    ['a key that is computed', valued('{{user[{{which}}]}}'), ['user']],
    ['a key from a context', valued('{{list[{{global.index}}]}}'), ['global']],
    ['a template in a text', valued('{% "hello {{user.nick}}" %}'), ['user']],
    ['a pattern', valued('{% "a" matches regex(^{{global.prefix}}) %}'), ['global']],
    ['an object', valued('{% {a: [{{session.a}}]} %}'), ['session']],
    ['a key', valued({ '{{global.name}}': 1 }), ['global']],
    ['a choice', valued('{% 1 == 2 ? 1 : -{{run.count}} %}'), ['run']],
    ['an output', { output: { a: ['{{session.cart}}'] } }, ['session']],
    ['an end of rounds', { do: [{ repeat: { until: '{{global.done}}', do: [] } }] }, ['global']],
    ['the name of a call', { do: [{ 'go-{{session.next}}': {} }] }, ['session']],
    ['the result of a call', { do: [{ other: { output: 'global.result' } }] }, ['global']],
    ['a write', { do: [{ set: { name: 'session.a.b', value: 1 } }] }, ['session']],
    ['a write with a scope', { do: [{ set: { name: 'a', value: 1, scope: 'global' } }] }, ['global']],
    ['a removal', { do: [{ delete: { name: 'user.a' } }] }, ['user']],
    ['a name that is computed', { do: [{ set: { name: '{{target}}', value: 1 } }] }, all],
    ['a name put together', { do: [{ delete: { name: 'ses{{rest}}.a' } }] }, all],
    ['steps inside', { do: [{ try: { do: [{ all: [valued('{{user.a}}').do?.[0] ?? {}] }] } }] }, ['user']],
    ['the words of the platform', valued('{{user.id}} {{session.id}} {{run.date}} {{global.apiUrl}}'), []],
    ['a member of the same name', valued('{{payload.session.cart}}'), []],
    ['a text', valued('session.cart and global'), []],
    ['a constant', valued('{% "session" %}'), []],
  ])('are seen in %s', async (_, main, expected) => {
    expect((await automationOf(main))?.storedContexts).toEqual(expected)
  })

  test.each([
    ['{{user.role}}', true],
    ['{{user}}', true],
    ['{% {{user[{{k}}]}} == "owner" %}', true],
    ['{{user.email}} {{payload.user.role}}', false],
  ])('and the role for %s', async (value, expected) => {
    expect((await automationOf(valued(value)))?.readsRole).toBe(expected)
  })

  test.each([
    ['{{user.email}}', true],
    ['{{user}}', true],
    ['{{user.id}} {{payload.user.email}}', false],
  ])('and the address for %s', async (value, expected) => {
    expect((await automationOf(valued(value)))?.readsEmail).toBe(expected)
  })

  test('and the raw body only where it is read', async () => {
    expect((await automationOf(valued('{{rawBody}}')))?.readsRawBody).toBe(true)
    expect((await automationOf(valued('rawBody')))?.readsRawBody).toBe(false)
  })
})
