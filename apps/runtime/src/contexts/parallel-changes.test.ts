import { sql } from '@platform/database'
import { rounds } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRuntime, type TestRuntime } from '../../test/testing.ts'
import { ContextChanges, withChange } from './context-changes.ts'
import { contextStore, type StoredPatch, upsertPatches } from './context-store.ts'
import { Contexts } from './contexts.ts'

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime()
})
afterAll(() => runtime[Symbol.asyncDispose]())

describe('runs at the same time', () => {
  test('keep each other’s parts of one key, and all that they push', async () => {
    const set = (name: string, value: unknown, type?: string) => ({ set: { name, value, type } })
    const workspace = await runtime.workspace({
      main: {
        when: { endpoint: true },
        do: [
          set('n', '{{query.n}}'),
          set('global.users[{{n}}].seen', true),
          set('global.list', '{{n}}', 'push'),
          set('global.deep.list[]', '{{n}}'),
          set('global.deep.merged', { '{{n}}': 1 }, 'merge'),
          set('global.start.at', '{{n}}'),
          { delete: { name: 'global.gone[{{n}}]' } },
        ],
      },
      first: {
        when: { endpoint: true },
        do: [
          set('global.deep.merged', {}),
          { repeat: { until: 20, do: [set('global.gone.u{{$index}}', 1)] } },
          set('global.gone.stays', 1),
        ],
      },
      read: {
        when: { endpoint: true },
        output: ['{{global.users}}', '{{global.list}}', '{{global.deep}}', '{{global.gone}}'],
      },
    })
    await runtime.call(workspace.id, 'first')
    await Promise.all(Array.from({ length: 20 }, (_, n) => runtime.call(workspace.id, `main?n=u${n}`)))
    await Promise.all(Array.from({ length: 20 }, (_, n) => runtime.call(workspace.id, `main?n=${n}`)))
    const [users, list, deep, gone] = (await (await runtime.call(workspace.id, 'read')).json()) as [
      Record<string, unknown>,
      string[],
      { list: string[]; merged: object },
      object,
    ]
    expect(Object.keys(users)).toHaveLength(40)
    expect(list).toHaveLength(40)
    expect(deep.list).toHaveLength(40)
    expect(Object.keys(deep.merged)).toHaveLength(40)
    expect(gone).toEqual({ stays: 1 })
  })
})

/** What a run might do; the same for a plain object, the changes of a run, and what PostgreSQL makes of them. */
describe('changes of parts', () => {
  const keys = ['a', 'b', 'list']
  const random = (seed: number) => () => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed / 2147483648
  }

  test.each(Array.from({ length: rounds(40, 2000) }, (_, seed) => seed))(
    'come out the same as they were made (%i)',
    async (seed) => {
      const next = random(seed + 1)
      const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
      const store = contextStore(runtime.database)
      const owner = { workspaceId: `w${seed}`, context: 'global', owner: '' } as const
      const write = (patches: StoredPatch[]) => runtime.database.many(upsertPatches(patches))
      const contexts = new Contexts({ global: { writable: true } })
      const value = () => pick<unknown>([1, 'text', null, [1, 2], { x: 1 }, []])
      for (let round = 0; round < 4; round += 1) {
        const patches: StoredPatch[] = []
        for (let commit = 0; commit < 1 + Math.floor(next() * 2); commit += 1) {
          for (let step = 0; step < 6; step += 1) {
            const depth = Math.floor(next() * 3)
            const path = [
              'global',
              pick(keys),
              ...Array.from({ length: depth }, () => pick(['a', 'b', 0, 1])),
            ]
            const type = pick(['replace', 'replace', 'merge', 'push', 'remove'] as const)
            const given = value()
            try {
              if (type === 'remove') contexts.remove(path)
              else
                contexts.write(path, {
                  type,
                  value: given,
                  of: (before) => {
                    if (type === 'replace') return given
                    if (Array.isArray(before))
                      return type === 'push' ? [...before, given] : before.concat(given)
                    if (type === 'push') {
                      if (before === undefined || before === null) return [given]
                      throw new Error('no list')
                    }
                    const areObjects = [before, given].every(
                      (one) => typeof one === 'object' && one !== null && !Array.isArray(one),
                    )
                    return areObjects ? { ...(before as object), ...(given as object) } : given
                  },
                })
            } catch {
              // Refused, for a run as well.
            }
          }
          const [patch] = contexts.takePatches(['global'])
          if (patch === undefined) continue
          const { values: content, removed, changes, expiries } = patch
          // As they are when they are written: what the run does next is another patch.
          patches.push(
            structuredClone({ ...owner, content, removed, changes, expiries, ttlSeconds: undefined }),
          )
        }
        if (patches.length > 0) await write(patches)
        const { values } = await store.load(owner.workspaceId, 'global', '')
        const expected = Object.fromEntries(keys.map((key) => [key, contexts.peek('global', key)]))
        expect(values).toEqual(JSON.parse(JSON.stringify(expected)))
      }
      await runtime.database.many(sql`delete from runtime.contexts where workspace_id = ${owner.workspaceId}`)
    },
  )

  test('of a list that was pushed to mean the list as the run saw it', () => {
    const changes = new ContextChanges()
    changes.note(['list'], { type: 'push', value: 'mine' }, ['theirs'])
    changes.note(['list', 1, 'x'], { type: 'replace', value: 1 }, undefined)
    const taken = changes.take({ list: ['theirs', { x: 1 }] })
    expect(taken).toEqual({ values: { list: ['theirs', { x: 1 }] }, removed: [], changes: [] })
  })

  test('that are too many are one of the whole key', () => {
    const changes = new ContextChanges()
    for (let n = 0; n < 1000; n += 1) changes.note(['k', `n${n}`], { type: 'replace', value: n }, undefined)
    expect(changes.take({ k: { all: 1 } })).toEqual({ values: { k: { all: 1 } }, removed: [], changes: [] })
  })

  test('that are not there any more are left out', () => {
    expect(withChange(undefined, { path: ['k', 'a'], removed: true })).toBe(undefined)
    expect(withChange({ a: { b: 1, c: 2 } }, { path: ['k', 'a', 'b'], removed: true })).toEqual({
      a: { c: 2 },
    })
    expect(withChange(1, { path: ['k', 'list'], pushed: [1, [2]] })).toEqual({ list: [1, [2]] })
  })
})
