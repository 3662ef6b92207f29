import { queryObjects } from 'node:v8'
import { expect, test, vi } from 'vitest'
import { startOutside } from '../../test/outside.ts'
import { compiled, runMain, testEngine } from '../../test/testing.ts'

const HOUR_MS = 3_600_000
const RUNS = 50

/** How many there are in memory after a collection. */
const signalsInMemory = (): number => queryObjects(AbortSignal, { format: 'count' })

test('runs that may take an hour keep no signal in memory once they have ended', async () => {
  await using outside = await startOutside()
  const workspace = compiled({
    main: { do: [{ fetch: { url: outside.url, output: 'out' } }], output: '{{out}}' },
  })
  const engine = testEngine()
  const execute = async () =>
    expect(await runMain(workspace, {}, { timeLimitMs: HOUR_MS, repeatable: true }, engine)).toMatchObject({
      output: 'outside',
    })
  await execute()
  const before = signalsInMemory()
  for (let run = 0; run < RUNS; run += 1) await execute()
  expect(outside.got).toHaveLength(1 + RUNS)
  const isGone = () => expect(signalsInMemory() - before).toBeLessThan(RUNS / 5)
  await vi.waitFor(isGone, { timeout: 20_000, interval: 1000 })
})
