import { describe, expect, test } from 'vitest'
import { anonymousRoom } from './anonymous-room.ts'

const HERE = '192.0.2.1'
const nothing = async () => ({ site: '192.0.2', sessionIds: [] })

function roomOf(max: number, rows: () => number) {
  let [now, counts] = [0, 0]
  const room = anonymousRoom({
    max,
    makeRoom: nothing,
    clock: { now: () => new Date(now) },
    count: async (limit) => {
      counts += 1
      return Math.min(limit, rows())
    },
  })
  return { room: () => room(HERE), counts: () => counts, pass: (ms: number) => (now += ms) }
}

describe('the room for anonymous sessions', () => {
  test('is counted once for many, and every ten seconds', async () => {
    const { room, counts, pass } = roomOf(1000, () => 0)
    await Promise.all(Array.from({ length: 100 }, room))
    expect(counts()).toBe(1)
    pass(10_000)
    await room()
    expect(counts()).toBe(2)
  })

  test('ends at its bound and is there again when sessions are over', async () => {
    let rows = 8
    const { room, pass } = roomOf(10, () => rows)
    await room()
    await room()
    await expect(room()).rejects.toMatchObject({ status: 503, retryAfterSeconds: 60 })
    rows = 3
    pass(10_000)
    await expect(room()).resolves.toBeUndefined()
  })

  test('can’t be told when the count fails, and the next one is tried', async () => {
    let fails = true
    const room = anonymousRoom({
      max: 1,
      makeRoom: nothing,
      clock: { now: () => new Date(0) },
      count: async () => {
        if (fails) throw new Error('down')
        return 0
      },
    })
    await expect(room(HERE)).rejects.toThrow('down')
    fails = false
    await expect(room(HERE)).resolves.toBeUndefined()
  })
})
