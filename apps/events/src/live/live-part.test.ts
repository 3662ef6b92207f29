import { systemClock } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { startTestService } from '@platform/testing'
import { expect, test, vi } from 'vitest'
import { events } from '../service.ts'

test('what reads live listens to nothing any more when the service is closed, also one that never served', async () => {
  await using service = await startTestService(events)
  const { env, resources } = service
  const eventLog = await resources.log(env.DATABASE_URL ?? '')
  const listen = eventLog.listen.bind(eventLog)
  const listeners = new Set<AsyncDisposable>()
  vi.spyOn(eventLog, 'listen').mockImplementation(async (...hear) => {
    const listener = await listen(...hear)
    listeners.add(listener)
    return {
      async [Symbol.asyncDispose]() {
        listeners.delete(listener)
        await listener[Symbol.asyncDispose]()
      },
    }
  })
  const log = createLogger({ level: 'silent' })
  const context = { log, clock: systemClock, version: '0.0.0-test', development: true }
  const parts = await events.build(env, resources, context)
  expect(listeners.size).toBe(1)
  await parts.closing?.()
  expect(listeners.size).toBe(0)
})
