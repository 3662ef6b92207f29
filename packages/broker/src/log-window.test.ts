import { uuidv7 } from '@platform/kernel'
import { describe, expect, it } from 'vitest'
import { LOG_START, type LogCursor, type LogEvent } from './event-log.ts'
import { LogWindow } from './log-window.ts'

/** A log in memory that tells what was asked of it, and answers when it is told to. */
function logOf() {
  const events: LogEvent[] = []
  const asked: number[] = []
  let held: Promise<void> | undefined
  let isHeldBack = false
  return {
    asked,
    add(count: number, { xid = '9', size = 100 } = {}) {
      for (let n = 0; n < count; n += 1) {
        const id = uuidv7()
        const record = { id, type: 't', source: {}, payload: {}, createdAt: new Date().toISOString(), size }
        events.push({ id, record, announce: false, xid, position: events.length + 1 })
      }
    },
    holdBack() {
      isHeldBack = true
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return () => {
        held = undefined
        resolve()
      }
    },
    async read(after: LogCursor, limit: number) {
      asked.push(after.position)
      // What is there when it is asked, however late the answer.
      const found = events.filter(({ position }) => position > after.position).slice(0, limit)
      await held
      return { events: found, isHeldBack }
    },
  }
}
/** One more group, which was woken a moment ago unless it says when. */
function groupOf(window: LogWindow) {
  const reader = window.reader()
  const read = async (after: LogCursor, limit: number, since = performance.now()) =>
    (await reader(after, limit, since)).events
  return Object.assign(read, { [Symbol.dispose]: () => reader[Symbol.dispose]() })
}
const positions = (events: readonly LogEvent[]) => events.map(({ position }) => position)
const at = (position: number, xid = '9'): LogCursor => ({ xid, position })

describe('groups of one process', () => {
  it('get what another has read without asking for it, the same records', async () => {
    const log = logOf()
    log.add(5)
    const window = new LogWindow(log.read)
    const [one, other] = [groupOf(window), groupOf(window)]
    const wokenAt = performance.now()
    const first = await one(LOG_START, 3)
    expect(positions(first)).toEqual([1, 2, 3])
    expect((await other(LOG_START, 2, wokenAt))[0]?.record).toBe(first[0]?.record)
    expect(positions(await other(at(2), 10, wokenAt))).toEqual([3])
    expect(log.asked).toEqual([0])
    expect(positions(await other(at(3), 10))).toEqual([4, 5])
    expect(positions(await one(at(3), 10))).toEqual([4, 5])
    expect(log.asked).toEqual([0, 3, 5])
  })

  it('get what has come since with what another has read before, in one question for all', async () => {
    const log = logOf()
    log.add(3)
    const window = new LogWindow(log.read)
    const [one, other, third] = [groupOf(window), groupOf(window), groupOf(window)]
    await one(LOG_START, 10)
    log.add(2)
    const wokenAt = performance.now()
    expect(positions(await other(at(1), 10, wokenAt))).toEqual([2, 3, 4, 5])
    expect(positions(await third(LOG_START, 10, wokenAt))).toEqual([1, 2, 3, 4, 5])
    expect(positions(await one(at(3), 10, wokenAt))).toEqual([4, 5])
    expect(log.asked).toEqual([0, 3])
    // Who gets as many as it takes at once asks for no more.
    expect(positions(await third(at(1), 2))).toEqual([2, 3])
    expect(log.asked).toEqual([0, 3])
  })

  it('get what is known where the window begins anew while they ask for more', async () => {
    const log = logOf()
    log.add(3)
    const window = new LogWindow(log.read)
    const [one, other] = [groupOf(window), groupOf(window)]
    await one(LOG_START, 10, 0)
    await other(LOG_START, 1, 0)
    const release = log.hold()
    const reading = other(at(1), 10)
    using _another = groupOf(window)
    release()
    expect(positions(await reading)).toEqual([2, 3])
  })

  it('ask nothing behind what is known where another has found nothing there since', async () => {
    const log = logOf()
    log.add(2)
    const window = new LogWindow(log.read)
    const [one, other] = [groupOf(window), groupOf(window)]
    await one(LOG_START, 10)
    await other(LOG_START, 1, 0)
    const wokenAt = performance.now()
    expect(await one(at(2), 10, wokenAt)).toEqual([])
    expect(positions(await other(at(1), 10, wokenAt))).toEqual([2])
    expect(log.asked).toEqual([0, 2])
  })

  it('ask together where they wake together', async () => {
    const log = logOf()
    log.add(3)
    const window = new LogWindow(log.read)
    const readers = [groupOf(window), groupOf(window), groupOf(window)]
    const wokenAt = performance.now()
    const read = await Promise.all(readers.map((reader) => reader(LOG_START, 10, wokenAt)))
    expect(read.map(positions)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ])
    expect(log.asked).toEqual([0])
  })

  it('take no empty answer to a question that is older than what woke them', async () => {
    const log = logOf()
    const window = new LogWindow(log.read)
    const [one, other, third] = [groupOf(window), groupOf(window), groupOf(window)]
    const release = log.hold()
    const early = one(LOG_START, 10)
    log.add(1)
    const late = [other(LOG_START, 10), third(LOG_START, 10)]
    release()
    expect(positions(await early)).toEqual([])
    expect((await Promise.all(late)).map(positions)).toEqual([[1], [1]])
    expect(log.asked).toEqual([0, 0])
  })

  it('ask nothing where another has found nothing since they were woken', async () => {
    const log = logOf()
    const window = new LogWindow(log.read)
    const [one, other] = [groupOf(window), groupOf(window)]
    const wokenAt = performance.now()
    expect(await one(LOG_START, 10, wokenAt)).toEqual([])
    expect(await other(LOG_START, 10, wokenAt)).toEqual([])
    expect(log.asked).toEqual([0])
    log.add(1)
    expect(positions(await other(LOG_START, 10))).toEqual([1])
    expect(log.asked).toEqual([0, 0])
  })

  it('are told whether more is held back', async () => {
    const log = logOf()
    log.holdBack()
    log.add(2)
    const window = new LogWindow(log.read)
    const [one, other] = [window.reader(), window.reader()]
    const wokenAt = performance.now()
    for (const reader of [one, other])
      expect(await reader(LOG_START, 10, wokenAt)).toMatchObject({ isHeldBack: true })
    expect(log.asked).toEqual([0])
  })

  it('ask again where the question of another failed', async () => {
    const log = logOf()
    log.add(1)
    let fails = true
    const window = new LogWindow(async (after, limit) => {
      const page = await log.read(after, limit)
      if (fails) {
        fails = false
        throw new Error('away')
      }
      return page
    })
    const [one, other] = [groupOf(window), groupOf(window)]
    const [failed, read] = await Promise.allSettled([one(LOG_START, 1), other(LOG_START, 1)])
    expect(failed).toMatchObject({ status: 'rejected' })
    expect(read).toMatchObject({ status: 'fulfilled', value: [{ position: 1 }] })
  })

  it('that are far behind read for themselves and move nobody', async () => {
    const log = logOf()
    log.add(10)
    const window = new LogWindow(log.read)
    const [one, other] = [groupOf(window), groupOf(window)]
    await one(at(6), 10)
    expect(positions(await other(at(2), 3))).toEqual([3, 4, 5])
    expect(positions(await other(at(6), 3))).toEqual([7, 8, 9])
    expect(log.asked).toEqual([6, 2])
  })

  it('know the order of transactions whose ids have more digits', async () => {
    const log = logOf()
    log.add(1, { xid: '9' })
    log.add(1, { xid: '10' })
    const window = new LogWindow(log.read)
    const [one, other] = [groupOf(window), groupOf(window)]
    await one(LOG_START, 10)
    expect(positions(await other(at(1, '9'), 10))).toEqual([2])
    expect(positions(await other(at(2, '10'), 10))).toEqual([])
  })
})

describe('what is kept', () => {
  it('is as much as memory may take, the newest', async () => {
    const log = logOf()
    log.add(60, { size: 100_000 })
    const window = new LogWindow(log.read)
    const [one, other] = [groupOf(window), groupOf(window)]
    await one(LOG_START, 60)
    expect(positions(await other(at(30), 1))).toEqual([31])
    expect(log.asked).toEqual([0])
    expect(positions(await other(at(10), 1))).toEqual([11])
    expect(log.asked).toEqual([0, 10])
  })

  it('is nothing that all groups have read, but for one that is far behind', async () => {
    const log = logOf()
    log.add(6)
    const window = new LogWindow(log.read)
    const [one, other, far] = [groupOf(window), groupOf(window), groupOf(window)]
    const wokenAt = performance.now()
    await one(at(2), 10)
    await other(at(2), 2)
    expect(positions(await far(LOG_START, 1))).toEqual([1])
    await one(at(6), 1)
    expect(positions(await other(at(4), 10, wokenAt))).toEqual([5, 6])
    expect(log.asked).toEqual([2, 0, 6])
    // The window begins behind the fourth now.
    expect(positions(await far(at(3), 1))).toEqual([4])
    expect(log.asked).toEqual([2, 0, 6, 3])
  })

  it('is nothing for a group that is alone', async () => {
    const log = logOf()
    log.add(1)
    const window = new LogWindow(log.read)
    const one = groupOf(window)
    await one(LOG_START, 1)
    await one(LOG_START, 1)
    expect(log.asked).toEqual([0, 0])
    const other = groupOf(window)
    await one(LOG_START, 1)
    await one(LOG_START, 1)
    expect(log.asked).toEqual([0, 0, 0])
    other[Symbol.dispose]()
    await one(LOG_START, 1)
    expect(log.asked).toEqual([0, 0, 0, 0])
  })

  it('is brief only where all groups take it so', async () => {
    const log = logOf()
    log.add(2)
    const asked: unknown[] = []
    const window = new LogWindow((after, limit, briefTypes) => {
      asked.push(briefTypes)
      return log.read(after, limit)
    })
    const now = performance.now()
    using one = window.reader(['t', 'u'])
    await one(LOG_START, 1, now)
    using other = window.reader(['v', 't'])
    await one(LOG_START, 1, now)
    await other(LOG_START, 1, now)
    expect(asked).toEqual([['t', 'u'], ['t']])
    // What is being read for these is no answer for one that wants it whole.
    const answer = log.hold()
    const reading = one(at(1), 1, now)
    using whole = window.reader()
    answer()
    await reading
    expect((await whole(at(1), 1, now)).events).toHaveLength(1)
    expect(asked).toEqual([['t', 'u'], ['t'], ['t'], []])
    whole[Symbol.dispose]()
    await one(LOG_START, 1, now)
    expect(asked.at(-1)).toEqual(['t'])
  })

  it('is forgotten when the log is another one', async () => {
    const log = logOf()
    log.add(1)
    const window = new LogWindow(log.read)
    const [one, other] = [groupOf(window), groupOf(window)]
    await one(LOG_START, 1)
    window.forget()
    await other(LOG_START, 1)
    expect(log.asked).toEqual([0, 0])
  })
})
