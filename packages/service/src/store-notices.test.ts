import { openDatabase, raw } from '@platform/database'
import { StoreError } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { testDatabaseUrl } from '@platform/testing'
import { describe, expect, test, vi } from 'vitest'
import { Resources } from './index.ts'
import { StoreNotices } from './store-notices.ts'

const log = createLogger({ level: 'silent' })
const CLOSED = '127.0.0.1:1'

/** Opens stores and collects what an operator is reported about them. */
async function toldAbout(open: (resources: Resources) => Promise<unknown>[]): Promise<string[]> {
  const reported: string[] = []
  await using resources = new Resources(log, {
    development: true,
    report: (sentence) => reported.push(sentence),
  })
  await Promise.allSettled(open(resources))
  await vi.waitFor(() => expect(reported).not.toEqual([]), 10_000)
  return reported
}

describe('a store that does not answer is reported with its host, the reason, the remedy, never its password', () => {
  test.each([
    [
      'database',
      (resources: Resources) => resources.database(`postgres://u:geheim@${CLOSED}/x`),
      `The database at ${CLOSED} can't be reached (ECONNREFUSED): start it, or correct DATABASE_URL.`,
    ],
    [
      'cache',
      (resources: Resources) => resources.cache(`redis://u:geheim@${CLOSED}`),
      `The cache at ${CLOSED} can't be reached (ECONNREFUSED): start it, or correct CACHE_URL.`,
    ],
    [
      'search store',
      (resources: Resources) => resources.searchIndex(`opensearch+http://u:geheim@${CLOSED}`),
      `The search store at ${CLOSED} can’t be reached: connect ECONNREFUSED ${CLOSED}: ` +
        'start it, or correct SEARCH_URL.',
    ],
  ])('%s', async (_, open, sentence) => {
    expect(await toldAbout((resources) => [open(resources)])).toEqual([sentence])
  })

  test('broker', async () => {
    const url = await testDatabaseUrl()
    const open = (resources: Resources) => [resources.broker(`nats://u:geheim@${CLOSED}`, url)]
    expect(await toldAbout(open)).toEqual([
      `The broker at ${CLOSED} can't be reached (CONNECTION_REFUSED): start it, or correct BROKER_URL.`,
    ])
  })

  test('a wrong password, a database that is not there, a host that has no name', async () => {
    const url = await testDatabaseUrl()
    const database = await openDatabase(url, { allowWeakDurability: true, poolSize: 1 })
    await database.many(raw(`create role stranger login password 'right'`)).catch(() => undefined)
    await database[Symbol.asyncDispose]()
    const { host } = new URL(url)
    const changes: [change: Partial<URL>, sentence: unknown][] = [
      [
        { username: 'stranger', password: 'geheim' },
        `The database at ${host} refused the connection: ` +
          'password authentication failed for user "stranger" (28P01): ' +
          'correct the user and the password in DATABASE_URL.',
      ],
      [
        { pathname: '/nowhere' },
        `The database at ${host} refused the connection: database "nowhere" does not exist (3D000): ` +
          'create it, or correct its name in DATABASE_URL.',
      ],
      [
        { hostname: 'no-such-host.invalid' },
        expect.stringMatching(
          /^The database at no-such-host\.invalid:\d+ can't be reached \((ENOTFOUND|EAI_AGAIN)\): correct/,
        ),
      ],
    ]
    for (const [change, sentence] of changes) {
      const other = Object.assign(new URL(url), change)
      expect(await toldAbout((resources) => [resources.database(other.href)])).toEqual([sentence])
    }
  })

  test('once for all who ask, and again after half a minute', () => {
    const reported: string[] = []
    const notices = new StoreNotices((sentence) => reported.push(sentence))
    const tell = () => notices.report(new StoreError('The store is away.', { unavailable: true }))
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      for (let second = 0; second < 65; second += 1) {
        tell()
        vi.advanceTimersByTime(1000)
      }
    } finally {
      vi.useRealTimers()
    }
    expect(reported).toHaveLength(3)
  })

  test('nothing is reported of one that answers', async () => {
    const reported: string[] = []
    await using resources = new Resources(log, {
      development: true,
      report: (sentence) => reported.push(sentence),
    })
    const database = await resources.database(await testDatabaseUrl())
    await vi.waitFor(() => expect(database.load().calls).toBeGreaterThanOrEqual(2))
    expect(reported).toEqual([])
  })
})
