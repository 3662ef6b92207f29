import { runtimeJwksUpdated } from '@platform/contracts'
import { openDatabase, raw } from '@platform/database'
import { createLogger } from '@platform/logging'
import { buildRecord } from '@platform/outbox'
import { startTestService, testDatabaseUrl } from '@platform/testing'
import { FaultProxy } from '@platform/testing/platform'
import { describe, expect, test, vi } from 'vitest'
import { tinyService } from '../test/testing.ts'
import { onEveryInstance, onOneInstance, Resources } from './index.ts'

const log = createLogger({ level: 'silent' })

describe('resources', () => {
  test('open each URL once, also when several ask at the same time', async () => {
    const url = await testDatabaseUrl()
    await using resources = new Resources(log, { development: true })
    const [first, second] = await Promise.all([resources.database(url), resources.database(url)])
    expect(first).toBe(second)
    expect(await resources.cache('memory:')).toBe(await resources.cache('memory:'))
    expect(await resources.broker('postgres:', url)).toBe(await resources.broker('postgres:', url))
  })

  test('that failed to open are opened anew by the next who asks', async () => {
    await using resources = new Resources(log, { development: true })
    await expect(resources.cache('unknown:')).rejects.toThrow('memory:')
    const again = resources.cache('unknown:')
    expect(again).not.toBe(resources.cache('memory:'))
    await expect(again).rejects.toThrow('memory:')
  })

  test('are closed in reverse order, what is still being opened too', async () => {
    const url = await testDatabaseUrl()
    const resources = new Resources(log, { development: true })
    const database = await resources.database(url)
    const broker = resources.broker('postgres:', url)
    await resources[Symbol.asyncDispose]()
    await expect(broker).resolves.toBeDefined()
    await expect(database.ping(AbortSignal.timeout(1000))).rejects.toThrow()
  })

  test('are closed in time while they are dialled in vain, and leave no dial', async () => {
    const url = await testDatabaseUrl()
    await using silent = await FaultProxy.open(1)
    await silent.set('drop')
    const at = (scheme: string) => `${scheme}://127.0.0.1:${silent.port}`
    const resources = new Resources(log, { development: true, report: () => undefined })
    const cache = await resources.cache(at('redis'))
    const index = await resources.searchIndex(at('opensearch+http'))
    await resources.broker(at('nats'), url)
    const database = await resources.database(`postgres://ada@127.0.0.1:${silent.port}/ada`)
    const asked = [cache.get('a'), index?.shardBudget(), database.ping(AbortSignal.timeout(5000))]
    await vi.waitFor(() => expect(silent.connections).toBeGreaterThanOrEqual(5), { timeout: 5000 })
    const startedAt = performance.now()
    await Promise.all([resources[Symbol.asyncDispose](), Promise.allSettled(asked)])
    expect(performance.now() - startedAt).toBePrompt(4000)
    await vi.waitFor(() => expect(silent.connections).toBe(0), { timeout: 500 })
  })

  test('accept a database that may forget only where that was said', async () => {
    const url = await testDatabaseUrl()
    await using patient = await openDatabase(url, { allowWeakDurability: true, poolSize: 1 })
    const name = new URL(url).pathname.slice(1)
    await patient.many(raw(`alter database ${name} set synchronous_commit to off`))
    await using resources = new Resources(log, { development: false })
    await expect(resources.database(url)).rejects.toThrow(/could lose what was confirmed/)
  })
})

describe('subscriptions', () => {
  test('hear committed events: one instance each, and every instance those of its contract', async () => {
    const payload = { created: ['a'], deleted: [] }
    const consumed = vi.fn(async () => {})
    const heard = vi.fn()
    const subscriptions = [
      onOneInstance('tiny', consumed),
      onEveryInstance(runtimeJwksUpdated, (announced) => {
        heard(announced)
        throw new Error('a mistake of the listener')
      }),
      onEveryInstance(runtimeJwksUpdated, async () => Promise.reject(new Error('a later mistake'))),
    ]
    await using service = await startTestService(tinyService({ parts: { subscriptions } }).service)
    const outbox = await service.resources.outbox('postgres:', service.env.DATABASE_URL ?? '')
    const record = buildRecord({ type: runtimeJwksUpdated.type, payload, source: { workspaceId: 'w1' } })
    await outbox.commit([record])
    await vi.waitFor(
      () => expect(consumed).toHaveBeenCalledWith([expect.objectContaining({ id: record.id })]),
      { timeout: 5000 },
    )
    await vi.waitFor(
      () => expect(heard).toHaveBeenCalledWith({ type: runtimeJwksUpdated.type, workspaceId: 'w1', payload }),
      { timeout: 5000 },
    )
  })
})
