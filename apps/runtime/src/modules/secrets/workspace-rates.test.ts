import { deleteSecret, patchSecrets } from '@platform/contracts'
import { sql } from '@platform/database'
import { StoreError } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { masterKeyRing } from '@platform/master-keys'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { testKey } from '../../../test/modules.ts'
import { startRuntime, type TestRuntime } from '../../../test/testing.ts'
import { sealContextOf } from './secret-parts.ts'
import type { SealedSecret } from './secret-store.ts'
import { limitsWith, WorkspaceRates } from './workspace-rates.ts'

const SOON = { timeout: 10_000, interval: 50 }
const limits = {
  automations: { perSecond: 100, burst: 400 },
  emits: { perSecond: 30, burst: 100 },
  fetches: { perSecond: 50, burst: 200 },
  functions: { perSecond: 100, burst: 400 },
  repeats: { perSecond: 1000, burst: 4000 },
}
const keys = masterKeyRing([testKey('test', 7)])
const silent = createLogger({ level: 'silent' })

describe('the limits of a workspace', () => {
  test('are those of all where nothing is set, each by itself', () => {
    expect(limitsWith(limits, [])).toEqual(limits)
    expect(
      limitsWith(limits, [
        ['prismeai_ratelimit_emits', '5'],
        ['prismeai_ratelimit_fetchs_burst', '1.5'],
        ['prismeai_ratelimit_automations', '7'],
        ['prismeai_ratelimit_repeats', '9'],
        ['prismeai_ratelimit_disabled', 'false'],
      ]),
    ).toEqual({
      ...limits,
      automations: { perSecond: 7, burst: 400 },
      emits: { perSecond: 5, burst: 100 },
      fetches: { perSecond: 50, burst: 1.5 },
      repeats: { perSecond: 9, burst: 4000 },
    })
  })

  test('are none where they are disabled, and nothing that can not be read counts', () => {
    expect(limitsWith(limits, [['prismeai_ratelimit_disabled', 'true']])).toBeUndefined()
    const strange = [['prismeai_ratelimit_emits', '-1'] as const, ['prismeai_other', 'x'] as const]
    expect(limitsWith(limits, strange)).toEqual(limits)
  })
})

describe('what is known of workspaces', () => {
  const sealed = (workspaceId: string, name: string, text: string): SealedSecret => {
    const place = { workspaceId, scope: 'system', owner: '', name } as const
    return { ...place, sealed: keys.seal(text, sealContextOf(place)) }
  }
  const emitsOf = (rates: WorkspaceRates, id: string) => rates.limitsOf(id)?.emits.perSecond

  test('is asked for once for all that ask meanwhile, and kept for a while', async () => {
    const asked: (readonly string[])[] = []
    const listSystem = async (ids: readonly string[]) => {
      asked.push(ids)
      return [sealed('a', 'prismeai_ratelimit_emits', '1')]
    }
    const rates = new WorkspaceRates({ limits, listSystem, masterKeys: keys, log: silent })
    expect(emitsOf(rates, 'a')).toBe(30)
    await Promise.all([rates.ready('a'), rates.ready('b')])
    for (let uses = 0; uses < 100; uses += 1)
      expect([emitsOf(rates, 'a'), emitsOf(rates, 'b')]).toEqual([1, 30])
    expect(rates.ready('a')).toBeUndefined()
    expect(asked.flat().toSorted()).toEqual(['a', 'b'])
  })

  test('is asked for again when it has changed, also where the answer before is on its way', async () => {
    const answers = [Promise.withResolvers<SealedSecret[]>(), Promise.withResolvers<SealedSecret[]>()]
    let asked = 0
    const listSystem = () => {
      asked += 1
      return answers[asked - 1]?.promise ?? Promise.resolve([])
    }
    const rates = new WorkspaceRates({ limits, listSystem, masterKeys: keys, log: silent })
    const ready = rates.ready('a')
    await vi.waitFor(() => expect(asked).toBe(1))
    rates.forget('a')
    rates.forget('unknown')
    answers[0]?.resolve([sealed('a', 'prismeai_ratelimit_emits', '1')])
    await ready
    await vi.waitFor(() => expect(asked).toBe(2))
    answers[1]?.resolve([sealed('a', 'prismeai_ratelimit_emits', '2')])
    await vi.waitFor(() => expect(emitsOf(rates, 'a')).toBe(2))
    rates.forgetAll()
    expect(emitsOf(rates, 'a')).toBe(2)
    await vi.waitFor(() => expect(emitsOf(rates, 'a')).toBe(30))
    expect(asked).toBe(3)
  })

  test('goes on while the store is away, and where one of many can not be opened', async () => {
    let isAway = true
    const listSystem = async () => {
      if (isAway) throw new StoreError('away', { unavailable: true })
      const other = masterKeyRing([testKey('other', 8)])
      const place = {
        workspaceId: 'b',
        scope: 'system',
        owner: '',
        name: 'prismeai_ratelimit_emits',
      } as const
      const closed = { ...place, sealed: other.seal('1', sealContextOf(place)) }
      return [closed, sealed('a', 'prismeai_ratelimit_emits', '1')]
    }
    const rates = new WorkspaceRates({ limits, listSystem, masterKeys: keys, log: silent })
    await Promise.all([rates.ready('a'), rates.ready('b')])
    expect(emitsOf(rates, 'a')).toBe(30)
    isAway = false
    await vi.waitFor(() => expect([emitsOf(rates, 'a'), emitsOf(rates, 'b')]).toEqual([1, 30]), SOON)
    isAway = true
    rates.forget('a')
    rates.forgetAll()
    expect(emitsOf(rates, 'a')).toBe(1)
  })
})

describe('automations', () => {
  let one: TestRuntime
  let other: TestRuntime
  beforeAll(async () => {
    const env = { RATE_LIMIT_DISABLED: 'false', RATE_LIMIT_EMITS: '1000', RATE_LIMIT_EMITS_BURST: '1000' }
    one = await startRuntime({ env })
    other = await startRuntime({ env, databaseUrl: one.env.DATABASE_URL ?? '' })
  })
  afterAll(async () => {
    await other[Symbol.asyncDispose]()
    await one[Symbol.asyncDispose]()
  })

  const emitting = (times: number) => ({
    main: {
      when: { endpoint: true as const },
      do: [{ repeat: { until: times, do: [{ emit: { event: 'x' } }] } }],
    },
  })

  /** Milliseconds that a call was held back. */
  async function heldBack(runtime: TestRuntime, id: string): Promise<number> {
    const response = await runtime.call(id, 'main')
    expect(response.status).toBe(200)
    const [event] = (await runtime.events(id, 'runtime.automations.executed')).slice(-1)
    return Number(Object(event?.payload).throttled ?? 0)
  }

  test('are held back, not failed, on every instance within seconds, and let go again', async () => {
    const { id } = await one.workspace(emitting(4))
    const root = one.as({ userId: 'root', superAdmin: true })
    const params = { workspaceId: id }
    expect([await heldBack(one, id), await heldBack(other, id)]).toEqual([0, 0])

    const slow = { prismeai_ratelimit_emits: { value: 10 }, prismeai_ratelimit_emits_burst: { value: 1 } }
    await root(patchSecrets, { params, body: slow })
    for (const runtime of [one, other])
      await vi.waitFor(async () => expect(await heldBack(runtime, id)).toBeGreaterThan(250), SOON)

    await root(patchSecrets, { params, body: { prismeai_ratelimit_disabled: { value: true } } })
    for (const runtime of [one, other])
      await vi.waitFor(async () => expect(await heldBack(runtime, id)).toBe(0), SOON)

    await root(deleteSecret, { params: { ...params, secretName: 'prismeai_ratelimit_disabled' } })
    await vi.waitFor(async () => expect(await heldBack(other, id)).toBeGreaterThan(250), SOON)
    const runs = await one.database.many(
      sql`select distinct status from runtime.runs where workspace_id = ${id}`,
    )
    expect(runs).toEqual([{ status: 'succeeded' }])
  })

  test('are held back from their first run on, where nothing of the workspace was known', async () => {
    const { id } = await one.workspace(emitting(3))
    const body = { prismeai_ratelimit_emits: { value: 10 }, prismeai_ratelimit_emits_burst: { value: 1 } }
    await one.as({ userId: 'root', superAdmin: true })(patchSecrets, { params: { workspaceId: id }, body })
    expect(await heldBack(other, id)).toBeGreaterThan(150)
  })

  test('wait no longer than they must when a limit is lifted while they are held back', async () => {
    const { id } = await one.workspace(emitting(3))
    const root = one.as({ userId: 'root', superAdmin: true })
    const params = { workspaceId: id }
    const body = { prismeai_ratelimit_emits: { value: 0.01 }, prismeai_ratelimit_emits_burst: { value: 1 } }
    await root(patchSecrets, { params, body })
    const waiting = heldBack(one, id)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await root(patchSecrets, { params, body: { prismeai_ratelimit_disabled: { value: true } } })
    expect(await waiting).toBeLessThan(10_000)
  })
})
