import { eventStream } from '@platform/contracts'
import { newWorkspaceId, uuidv7 } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { type Log, openLog } from '@platform/search'
import { testDatabase } from '@platform/testing'
import { test as base, describe, expect, vi } from 'vitest'
import type { TailReader } from './rooms.ts'
import { type LiveLog, Tail } from './tail.ts'

const logger = createLogger({ level: 'silent' })
const workspaceId = newWorkspaceId()
const append = (log: Log, n: number) => {
  const document = { type: 'a', source: { workspaceId }, payload: { n } }
  return log.append([{ stream: eventStream(workspaceId), id: uuidv7(), document }])
}

function newReader(): TailReader & { seen: number[] } {
  const seen: number[] = []
  return {
    workspaceId,
    types: undefined,
    seen,
    take({ record }) {
      seen.push((record.payload as { n: number }).n)
      return true
    },
  }
}

/** A log one of whose answers is held back until it is let go. */
function heldBack(log: Log, name: 'readAfter' | 'lastSequence') {
  const held = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  const live: LiveLog = {
    ...log,
    [name]: async (...args: never[]) => {
      const found = await (log[name] as (...given: never[]) => Promise<unknown>)(...args)
      if (Array.isArray(found) && found.length === 0) return found
      held.resolve()
      await letGo.promise
      return found
    },
  }
  return { live, isHeld: held.promise, letGo: () => letGo.resolve() }
}

const test = base.extend<{ log: Log }>({
  log: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures a fixture needs from this pattern.
    async ({}, use) => {
      await using database = await testDatabase()
      await use(await openLog(database))
    },
    { scope: 'file' },
  ],
})

describe('the tail', () => {
  test('hands nobody what was read for those who have left', async ({ log }) => {
    const { live, isHeld, letGo } = heldBack(log, 'readAfter')
    await using tail = await Tail.open(live, logger)
    const first = newReader()
    const second = newReader()
    await tail.join(first)
    await append(log, 1)
    await isHeld
    tail.leave(first)
    await tail.join(second)
    letGo()
    await append(log, 2)
    await vi.waitFor(() => expect(second.seen.at(-1)).toBe(2), { timeout: 5000 })
    expect([first.seen, second.seen]).toEqual([[], [2]])
  })

  test('hands the first reader at once what was appended while it joined', async ({ log }) => {
    const { live, isHeld, letGo } = heldBack(log, 'lastSequence')
    await using tail = await Tail.open(live, logger)
    const reader = newReader()
    const joining = tail.join(reader)
    await isHeld
    const news = Promise.withResolvers<void>()
    await using _listening = await log.listen(news.resolve, news.resolve)
    await append(log, 3)
    await news.promise
    letGo()
    await joining
    await vi.waitFor(() => expect(reader.seen).toEqual([3]), { timeout: 900, interval: 10 })
  })
})
