import { uuidv7 } from '@platform/kernel'
import { describe, expect, it } from 'vitest'
import { LogReader } from './consume-log.ts'
import { LOG_START, type LogCursor, type LogEvent } from './event-log.ts'

/** A log in memory that tells what was asked of it. */
function logOf(sizes: readonly number[]) {
  const asked: number[] = []
  const events: LogEvent[] = []
  const add = (size: number) => {
    const id = uuidv7()
    const record = { id, type: 't', source: {}, payload: {}, createdAt: new Date().toISOString(), size }
    events.push({ id, record, announce: false, xid: '1', position: events.length + 1 })
  }
  sizes.forEach(add)
  const read = async (after: LogCursor, limit: number) => {
    asked.push(limit)
    const found = events.filter(({ position }) => position > after.position).slice(0, limit)
    return { events: found, isHeldBack: false }
  }
  return { asked, add, read }
}
const times = (count: number, size: number) => Array.from({ length: count }, () => size)
const lengthsOf = async (reader: LogReader, count: number) => {
  const lengths: number[] = []
  for (let n = 0; n < count; n += 1) lengths.push((await reader.next(0)).events.length)
  return lengths
}

describe('reading the log', () => {
  it('takes larger batches while they are full, each event once', async () => {
    const log = logOf(times(1000, 100))
    const reader = new LogReader(log.read, { cursor: LOG_START, maxBatch: 256 })
    expect(await lengthsOf(reader, 6)).toEqual([64, 128, 256, 256, 256, 40])
  })

  it('takes few events where they are large', async () => {
    const log = logOf([...times(64, 100_000), ...times(200, 100_000)])
    const reader = new LogReader(log.read, { cursor: LOG_START, maxBatch: 256 })
    expect(await lengthsOf(reader, 4)).toEqual([64, 40, 40, 40])
  })

  it('reads ahead behind a full batch only, and asks again where there was nothing yet', async () => {
    const log = logOf(times(64, 100))
    const reader = new LogReader(log.read, { cursor: LOG_START, maxBatch: 256 })
    expect(await lengthsOf(reader, 1)).toEqual([64])
    expect(log.asked).toHaveLength(2)
    log.add(100)
    expect(await lengthsOf(reader, 2)).toEqual([1, 0])
    expect(log.asked).toHaveLength(4)
  })
})
