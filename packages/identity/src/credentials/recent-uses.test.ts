import { describe, expect, test } from 'vitest'
import { RecentUses, type Use } from './recent-uses.ts'

describe('recent uses', () => {
  test('are written once a minute each, all of them in one statement, the rest when it stops', async () => {
    const written: (readonly Use[])[] = []
    const uses = new RecentUses('test', async (batch) => written.push(batch))
    for (let second = 0; second < 60; second += 1) {
      uses.note('a', '192.0.2.1', second * 1000)
      uses.note('b', '192.0.2.2', second * 1000)
    }
    await uses.flush()
    await uses.flush()
    expect(written.map((batch) => batch.map(({ id }) => id))).toEqual([['a', 'b']])
    uses.note('a', '192.0.2.3', 60_000)
    await uses[Symbol.asyncDispose]()
    expect(written[1]).toEqual([{ id: 'a', at: new Date(60_000), ip: '192.0.2.3' }])
  })

  test('are bounded while they can’t be written', async () => {
    const written: number[] = []
    const uses = new RecentUses('test', async (batch) => written.push(batch.length))
    for (let id = 0; id < 30_000; id += 1) uses.note(String(id), '192.0.2.1', 0)
    await uses.flush()
    expect(written).toEqual([10_000])
  })
})
