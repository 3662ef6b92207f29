import { describe, expect, test } from 'vitest'
import { type VersionUse, VersionUses } from './version-uses.ts'

const user = (userId: string, more: object = {}) =>
  ({
    kind: 'user',
    userId,
    sessionId: 's',
    via: 'jwt',
    anonymous: false,
    superAdmin: false,
    scopes: [],
    clientId: 'app',
    email: undefined,
    apiKeyId: undefined,
    ...more,
  }) as const

const collected = () => {
  const written: VersionUse[] = []
  return { written, uses: new VersionUses(async (uses) => written.push(...uses)) }
}

describe('uses of versions', () => {
  test('are counted by caller, application and date', async () => {
    const { written, uses } = collected()
    uses.note('v3', '', user('ada'), 5)
    uses.note('v3', '', user('ada'), 3)
    uses.note('v3', '', user('ada', { clientId: 'other' }), 4)
    uses.note('v2', '2024-12-31', user('ada'), 4)
    await uses.flush()
    expect(written).toHaveLength(3)
    expect(written[0]).toEqual({
      version: 'v3',
      behaviourOf: '',
      kind: 'user',
      callerId: 'ada',
      clientId: 'app',
      count: 2,
      firstAt: 3,
      lastAt: 5,
    })
  })

  test('know each kind of caller, and visitors as one', async () => {
    const { written, uses } = collected()
    const callers = [
      undefined,
      { kind: 'internal' },
      { kind: 'apiKey', apiKeyId: 'k' },
      user('app'),
      user('visitor 1', { anonymous: true }),
      user('visitor 2', { anonymous: true }),
    ] as const
    for (const caller of callers) uses.note('v3', '', caller, 1)
    await uses.flush()
    expect(written.map(({ kind, callerId, clientId, count }) => [kind, callerId, clientId, count])).toEqual([
      ['nobody', '', '', 1],
      ['internal', '', '', 1],
      ['apiKey', 'k', '', 1],
      ['program', '', 'app', 1],
      ['anonymous', '', 'app', 2],
    ])
  })

  test('are not lost while the database is down', async () => {
    let isDown = true
    const written: VersionUse[] = []
    const uses = new VersionUses(async (batch) => {
      if (isDown) throw new Error('down')
      written.push(...batch)
    })
    uses.note('v3', '', user('ada'), 1)
    await expect(uses.flush()).rejects.toThrow('down')
    uses.note('v3', '', user('ada'), 9)
    isDown = false
    await uses.flush()
    expect(written).toMatchObject([{ count: 2, firstAt: 1, lastAt: 9 }])
    await uses.flush()
    expect(written).toHaveLength(1)
  })

  test('take no more memory than ten thousand callers', async () => {
    const { written, uses } = collected()
    for (let index = 0; index < 10_100; index += 1) uses.note('v3', '', user(`u${index}`), 1)
    await uses.flush()
    expect(written).toHaveLength(10_000)
  })
})
