import { describe, expect, it, vi } from 'vitest'
import type { Database } from '../src/database.ts'
import { sql } from '../src/sql.ts'
import { unique } from './conformance-tools.ts'

/** Listening and leading: what lives as long as a session does. */
export function sessionConformance(name: string, connect: () => Promise<Database>): void {
  describe(`${name}: listening`, () => {
    it('delivers notices between handles, in order, to every listener until it stops', async () => {
      await using sender = await connect()
      await using receiver = await connect()
      const channel = unique('Channel "x" ')
      const heard: string[] = []
      let gaps = 0
      const first = await receiver.listen(
        channel,
        (payload) => heard.push(`1:${payload}`),
        () => {
          gaps += 1
        },
      )
      const second = await receiver.listen(channel, (payload) => heard.push(`2:${payload}`))
      sender.notify(channel, 'a')
      sender.notify(channel, 'b')
      await vi.waitFor(() => expect(heard).toEqual(['1:a', '2:a', '1:b', '2:b']))
      await first[Symbol.asyncDispose]()
      sender.notify(channel, 'c')
      await vi.waitFor(() => expect(heard.at(-1)).toBe('2:c'))
      await second[Symbol.asyncDispose]()
      expect(heard).toHaveLength(5)
      expect(gaps).toBe(0)
    })

    it('delivers notices of a transaction once it is committed, and none of one that is undone', async () => {
      await using sender = await connect()
      await using receiver = await connect()
      const channel = unique('channel')
      const heard: string[] = []
      await using _listening = await receiver.listen(channel, (payload) => heard.push(payload))
      const failed = sender.transaction(async (tx) => {
        tx.notify(channel, 'undone')
        await tx.many(sql`select 1 / 0`)
      })
      await expect(failed).rejects.toThrow()
      await sender.transaction(
        async (tx) => {
          tx.notify(channel, 'committed')
          await tx.many(sql`select 1`)
          sender.notify(channel, 'before')
          await vi.waitFor(() => expect(heard).toEqual(['before']))
        },
        { readOnly: true },
      )
      await vi.waitFor(() => expect(heard).toEqual(['before', 'committed']))
    })

    it('listens again when its connection is lost, and says that notices may be missing', async () => {
      await using sender = await connect()
      await using receiver = await connect()
      const channel = unique('channel')
      const heard: string[] = []
      const onGap = vi.fn()
      await using _listening = await receiver.listen(channel, (payload) => heard.push(payload), onGap)
      await sender.many(sql`select pg_terminate_backend(pid) from pg_stat_activity
        where pid <> pg_backend_pid() and datname = current_database() and query = ${`listen "${channel}"`}
          or query = 'select 1' and pid <> pg_backend_pid() and datname = current_database()`)
      await vi.waitFor(() => expect(onGap).toHaveBeenCalledOnce(), { timeout: 5000 })
      sender.notify(channel, 'after')
      await vi.waitFor(() => expect(heard).toEqual(['after']))
    })
  })

  describe(`${name}: leading`, () => {
    it('lets one handle lead at a time and hands over at once when it stops', async () => {
      const handles = await Promise.all([connect(), connect(), connect()])
      const name = unique('leader')
      const active = new Set<number>()
      const leaders: number[] = []
      let most = 0
      const leaderships = handles.map((handle, index) =>
        handle.whileLeader(name, async (signal) => {
          active.add(index)
          most = Math.max(most, active.size)
          leaders.push(index)
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
          active.delete(index)
        }),
      )
      for (let turn = 0; turn < 3; turn += 1) {
        await vi.waitFor(() => expect(active.size).toBe(1), { timeout: 5000 })
        await leaderships[leaders.at(-1) ?? 0]?.[Symbol.asyncDispose]()
      }
      expect(most).toBe(1)
      expect([...leaders].sort()).toEqual([0, 1, 2])
      await Promise.all(handles.map((handle) => handle[Symbol.asyncDispose]()))
    })

    it('never leads twice within one handle', async () => {
      await using handle = await connect()
      const name = unique('leader')
      const work = vi.fn(
        (signal: AbortSignal) =>
          new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
      )
      handle.whileLeader(name, work)
      handle.whileLeader(name, work)
      await vi.waitFor(() => expect(work).toHaveBeenCalledOnce())
      await new Promise((resolve) => setTimeout(resolve, 1500))
      expect(work).toHaveBeenCalledOnce()
    })

    it('tries again after work that failed', async () => {
      await using handle = await connect()
      const work = vi.fn(() => Promise.reject(new Error('no luck')))
      await using _leadership = handle.whileLeader(unique('leader'), work)
      await vi.waitFor(() => expect(work.mock.calls.length).toBeGreaterThan(1), { timeout: 5000 })
    })
  })
}
