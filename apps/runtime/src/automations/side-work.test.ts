import { DatabaseError } from '@platform/database'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compiled, runMain, testEngine } from '../../test/testing.ts'

/** What nobody waited for ends the process: it must not happen whatever an automation does. */
const unheard: unknown[] = []
const remember = (error: unknown) => void unheard.push(error)

beforeEach(() => {
  unheard.length = 0
  process.on('unhandledRejection', remember)
})
afterEach(() => process.off('unhandledRejection', remember))

const nextTurns = () => new Promise((resolve) => setTimeout(resolve, 50))
const away = () => new DatabaseError('The database does not answer.', { unavailable: true })

describe('work beside the steps', () => {
  test('of a batch has ended when its repeat fails', async () => {
    const workspace = compiled({
      main: { do: [{ repeat: { until: 'false', batch: { size: 1000 }, do: [{ long: {} }] } }] },
      long: { do: [{ repeat: { until: 100_000, do: [{ set: { name: 'a', value: 1 } }] } }] },
    })
    const { failed, events } = await runMain(workspace, {}, { timeLimitMs: 100 })
    const count = events.length
    await nextTurns()
    expect(failed?.failure.name).toBe('WorkflowTimeoutError')
    expect(events).toHaveLength(count)
    expect(unheard).toEqual([])
  })

  test('that fails while its batch is still being begun fails the repeat, and nothing else', async () => {
    const workspace = compiled({
      main: { do: [{ repeat: { until: 500, batch: { size: 1000 }, do: [{ unknown: {} }] } }] },
    })
    const { failed } = await runMain(workspace)
    expect(failed?.failure.name).toBe('ObjectNotFoundError')
    expect(unheard).toEqual([])
  })

  test('that reads the same context reads it once', async () => {
    let loads = 0
    const load = async () => {
      loads += 1
      await nextTurns()
      return { values: { a: 1 }, ending: [] }
    }
    const reading = { output: '{{global.a}}' }
    const workspace = compiled({
      main: {
        do: [{ all: [{ one: { output: 'x' } }, { two: { output: 'y' } }] }],
        output: '{{x}}{{y}}',
      },
      one: reading,
      two: reading,
    })
    expect((await runMain(workspace, {}, {}, testEngine({ contexts: { load } }))).output).toBe('11')
    expect(loads).toBe(1)
  })

  test('of loading contexts is waited for when one of them fails', async () => {
    const engine = testEngine({
      contexts: { load: () => Promise.reject(away()) },
      roleOf: async () => {
        await nextTurns()
        throw away()
      },
    })
    const workspace = compiled({ main: { output: '{{global.a}} {{session.b}} {{user.role}}' } })
    const { failed } = await runMain(workspace, {}, {}, engine)
    await nextTurns()
    expect(failed?.failure.name).toBe('ServiceUnavailable')
    expect(unheard).toEqual([])
  })
})
