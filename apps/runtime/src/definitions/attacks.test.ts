import { expectOthersServed } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRuntime, type TestAutomations, type TestRuntime } from '../../test/testing.ts'

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime({ env: { DEFINITIONS_CACHE_BYTES: '20000000' } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const probe = async () => {
  const response = await fetch(`${runtime.url}/sys/livez`)
  await response.arrayBuffer()
}

const many = (count: number, make: (at: number) => TestAutomations[string]): TestAutomations =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, make(at)]))

describe('others are served while', { timeout: 120_000 }, () => {
  test('somebody calls paths that 2,000 patterns of several stars, saved long ago, nearly match', async () => {
    const stars = '*a/x/x/x/*b/x/x/x/y/*c/x/x/*d/end'
    const workspace = await runtime.workspace(many(2000, () => ({ when: { endpoint: stars } })))
    const call = async () => (await runtime.call(workspace.id, 'x/'.repeat(900))).status
    await call()
    await expectOthersServed({
      probe,
      attack: async () => expect(await Promise.all([call(), call(), call()])).toEqual([404, 404, 404]),
    })
  })

  test('somebody runs automations as large as may be saved, one after the other', async () => {
    const steps = Array.from({ length: 5000 }, (_, at) => ({ set: { name: 'a', value: `{{a.b${at}}}` } }))
    const large = [...steps.slice(0, 4999), { break: {} }]
    const workspace = await runtime.workspace(
      many(10, () => ({ when: { endpoint: true }, do: [{ break: {} }, ...large.slice(1)], output: 'ran' })),
    )
    const heapBefore = process.memoryUsage().heapUsed
    await expectOthersServed({
      probe,
      attack: async () => {
        for (let at = 0; at < 10; at += 1)
          expect((await runtime.call(workspace.id, `a${at}`)).status).toBe(200)
      },
    })
    expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(200_000_000)
  })
})
