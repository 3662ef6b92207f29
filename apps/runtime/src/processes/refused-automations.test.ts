import type { Death } from '@platform/service/processes'
import { expect, test } from 'vitest'
import { RefusedAutomations, refusals } from './refused-automations.ts'

const mark = (change = {}) =>
  JSON.stringify({ runId: 'r', workspaceId: 'w', automationSlug: 'a', checksum: 'first', ...change })
const death = (change: Partial<Death> = {}): Death => ({
  cause: 'silent',
  seen: 'did not come back',
  name: '1',
  marker: mark(),
  role: 'serving',
  ...change,
})

test('an automation that ends processes is refused for 10 s, then for twice as long, up to 10 minutes', () => {
  let now = Date.now()
  const learn = refusals(() => now)
  const pauses = Array.from({ length: 8 }, () => {
    const [refusal] = learn(death())
    now += 1000
    return (refusal?.pauseMs ?? 0) / 1000
  })
  expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 600, 600])
})

test('only the text that did it is refused, and by name', () => {
  const refused = new RefusedAutomations()
  refused.learn(refusals()(death()))
  expect(() => refused.require('w', { slug: 'a', checksum: 'first' })).toThrow(
    /^The automation "a" has ended the process that executed it, and is not executed for 10 s:/,
  )
  for (const [workspace, slug, checksum] of [
    ['w', 'a', 'saved anew'],
    ['w', 'b', 'first'],
    ['x', 'a', 'first'],
  ] as const)
    expect(() => refused.require(workspace, { slug, checksum })).not.toThrow()
})

test('nobody is blamed for a process that others have killed, or that did nothing', () => {
  expect(refusals()(death({ cause: 'killed' }))).toEqual([])
  expect(refusals()(death({ marker: '' }))).toEqual([])
  expect(refusals()(death({ marker: mark().slice(0, 20) }))).toEqual([])
})
