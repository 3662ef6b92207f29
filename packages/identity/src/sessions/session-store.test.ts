import { type Audit, openAudit } from '@platform/audit'
import { migrate, sql } from '@platform/database'
import { systemClock } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { Resources } from '@platform/service'
import { type TestDatabase, templateDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signInLog } from '../audit/sign-in-log.ts'
import { sessionStore } from './session-store.ts'
import { noTrail, type SessionTrail, sessionTrail } from './session-trail.ts'
import { liveSessions, type NewSession } from './sessions.ts'

let database: TestDatabase
let audit: Audit
let trail: SessionTrail
const resources = new Resources(createLogger({ level: 'silent' }), { development: true })
beforeAll(async () => {
  database = await testDatabase(
    await templateDatabase('gateway sessions', (empty) =>
      migrate(empty, { schema: 'gateway', directory: new URL('../../migrations/', import.meta.url) }),
    ),
  )
  audit = await openAudit({ database, clock: systemClock })
  const outbox = await resources.outbox('postgres:', database.url)
  trail = sessionTrail({ audit, signInLog: signInLog({ database, outbox, audit, clock: systemClock }) })
})
afterAll(async () => {
  await resources[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const broadcast: string[] = []
const sessionsWith = (use: SessionTrail) =>
  liveSessions({
    records: sessionStore(database, use),
    broadcast: async (ids) => void broadcast.push(...ids),
    clock: systemClock,
  })

const newSession = (userId: string, more: Partial<NewSession> = {}): NewSession => ({
  userId,
  clientId: 'console',
  anonymous: false,
  expiresAt: new Date(Date.now() + 3_600_000),
  ip: '192.0.2.1',
  signIn: { provider: 'prismeai', email: `${userId}@example.com`, authData: {} },
  ...more,
})

const auditedOf = (sessionId: string) =>
  database.many<{ action: string; actor: string; details: string }>(sql`
    select action, actor, details from audit.entries where subject = ${`session:${sessionId}`} order by sequence`)

const rowsOf = async (userId: string) =>
  (await database.many(sql`select 1 from gateway.sessions where user_id = ${userId}`)).length

describe('a session that is started', () => {
  test('is there with its event and its audit row', async () => {
    const { sessionId } = await sessionsWith(trail).start(
      newSession('ada', { signingKid: 'kid-1', clientName: 'Console' }),
    )
    expect(await auditedOf(sessionId)).toEqual([
      { action: 'session.started', actor: 'user:ada', details: expect.stringContaining('prismeai') },
    ])
    const [row] = await database.many(sql`
      select signing_kid, provider, client_name, ip from gateway.sessions where id = ${sessionId}`)
    expect(row).toEqual({
      signing_kid: 'kid-1',
      provider: 'prismeai',
      client_name: 'Console',
      ip: '192.0.2.1',
    })
    const events = await database.many<{ record: string }>(sql`
      select record::text as record from outbox.events where record::text like ${`%${sessionId}%`}`)
    expect(events).toHaveLength(1)
    expect(events[0]?.record).toContain('gateway.login.succeeded')
  })

  test('is not there when its audit row can’t be written', async () => {
    const failing: SessionTrail = { ...noTrail, started: () => Promise.reject(new Error('no audit')) }
    await expect(sessionsWith(failing).start(newSession('eve'))).rejects.toThrow('no audit')
    expect(await rowsOf('eve')).toBe(0)
  })

  test('by a visitor or a program leaves neither event nor audit row', async () => {
    const { signIn: _, ...visitor } = newSession('visitor', { anonymous: true })
    const { sessionId } = await sessionsWith(trail).start(visitor)
    expect(await auditedOf(sessionId)).toEqual([])
  })

  test('at the same moment as many others is there, each with its own rows, in a whole chain', async () => {
    const sessions = sessionsWith(trail)
    const started = await Promise.all(
      Array.from({ length: 300 }, (_, index) => sessions.start(newSession(`many-${index}`))),
    )
    for (const [index, { sessionId }] of started.entries()) {
      expect(await sessions.find(sessionId)).toMatchObject({ userId: `many-${index}` })
      expect(await auditedOf(sessionId)).toMatchObject([{ actor: `user:many-${index}` }])
    }
    await Promise.all(started.map(({ sessionId }) => sessions.end(sessionId)))
    for (const { sessionId } of started) {
      expect(await sessions.find(sessionId)).toBeUndefined()
      expect(await auditedOf(sessionId)).toMatchObject([
        { action: 'session.started' },
        { action: 'session.ended' },
      ])
      expect(broadcast.filter((id) => id === sessionId)).toHaveLength(1)
    }
    expect(await audit.verify()).toMatchObject({ intact: true })
  })
})

describe('a session that is ended', () => {
  test('many times at once has ended once: one audit row, one revocation', async () => {
    const sessions = sessionsWith(trail)
    const { sessionId } = await sessions.start(newSession('bob'))
    await Promise.all(Array.from({ length: 30 }, () => sessions.end(sessionId)))
    expect((await auditedOf(sessionId)).map(({ action }) => action)).toEqual([
      'session.started',
      'session.ended',
    ])
    const revocations = await database.many(sql`select 1 from gateway.revocations where id = ${sessionId}`)
    expect(revocations).toHaveLength(1)
  })

  test('tells who, and why; of a program its client', async () => {
    const sessions = sessionsWith(trail)
    const [own, other] = [await sessions.start(newSession('cyd')), await sessions.start(newSession('cyd'))]
    const { signIn: _, ...program } = newSession('robot', { clientId: 'robot' })
    const robot = await sessions.start(program)
    await sessions.end(own.sessionId, { actor: 'platform', reason: 'tokenReuse', ip: '192.0.2.9' })
    await sessions.endAllOf('cyd')
    await sessions.end(robot.sessionId)
    const last = async (sessionId: string) => (await auditedOf(sessionId)).at(-1)
    expect(await last(own.sessionId)).toMatchObject({
      actor: 'platform',
      details: JSON.stringify({ clientId: 'console', reason: 'tokenReuse' }),
    })
    expect(await last(other.sessionId)).toMatchObject({ actor: 'user:cyd' })
    expect(await last(robot.sessionId)).toMatchObject({ actor: 'client:robot' })
  })

  test('stays alive when its audit row can’t be written', async () => {
    const failing: SessionTrail = { ...noTrail, ended: () => Promise.reject(new Error('no audit')) }
    const sessions = sessionsWith(failing)
    const { sessionId } = await sessions.start(newSession('dan'))
    await expect(sessions.end(sessionId)).rejects.toThrow('no audit')
    await expect(sessions.endAllOf('dan')).rejects.toThrow('no audit')
    expect(await sessions.find(sessionId)).toBeDefined()
  })

  test('by time alone is purged without a word', async () => {
    const sessions = sessionsWith(trail)
    const { sessionId } = await sessions.start(newSession('old', { expiresAt: new Date(Date.now() - 1000) }))
    expect(await sessions.find(sessionId)).toBeUndefined()
    await sessionStore(database, trail).deleteOver(new Date())
    expect(await rowsOf('old')).toBe(0)
    expect((await auditedOf(sessionId)).map(({ action }) => action)).toEqual(['session.started'])
  })
})

describe('the key of the latest token', () => {
  test('follows each refresh', async () => {
    const sessions = sessionsWith(noTrail)
    const { sessionId } = await sessions.start(newSession('kim', { signingKid: 'kid-1' }))
    await sessions.noteIssued(sessionId, 'kid-2')
    await sessions.noteIssued('never-was', 'kid-2')
    const rows = await database.many(sql`select signing_kid from gateway.sessions where user_id = 'kim'`)
    expect(rows).toEqual([{ signing_kid: 'kid-2' }])
  })
})

describe('uses of sessions', () => {
  test('of the same ones are written by two instances at once without a deadlock, and the latest stays', async () => {
    const sessions = sessionsWith(noTrail)
    const started = await Promise.all(Array.from({ length: 200 }, () => sessions.start(newSession('busy'))))
    const ids = started.map(({ sessionId }) => sessionId)
    const store = sessionStore(database, noTrail)
    const orders = [ids, ids.toReversed(), ids.toSorted(), ids.toSorted().toReversed()]
    const begin = Date.now()
    for (let round = 1; round <= 20; round += 1) {
      await Promise.all(
        orders.map((order, instance) => {
          const at = new Date(begin + round * 1000 + instance)
          return store.noteUses(order.map((id) => ({ id, at, ip: `192.0.2.${instance}` })))
        }),
      )
    }
    const rows = await database.many(sql`
      select distinct last_used_at as "at", last_ip as ip from gateway.sessions where user_id = 'busy'`)
    expect(rows).toEqual([{ at: new Date(begin + 20_003), ip: '192.0.2.3' }])
  })

  test('are written while their sessions are ended, and hold no ending up', async () => {
    const sessions = sessionsWith(noTrail)
    const store = sessionStore(database, noTrail)
    for (let round = 0; round < 10; round += 1) {
      const userId = `leaving-${round}`
      const started = await Promise.all(Array.from({ length: 100 }, () => sessions.start(newSession(userId))))
      const ids = started.map(({ sessionId }) => sessionId).toSorted()
      const at = new Date(Date.now() + 60_000)
      const uses = (order: string[]) => store.noteUses(order.map((id) => ({ id, at, ip: '192.0.2.9' })))
      const [ended] = await Promise.all([
        store.endAllOf(userId, {}),
        uses(ids),
        uses(ids.toReversed()),
        ...ids.toReversed().map((id) => store.end(id, {})),
      ])
      expect(ended.length).toBeLessThanOrEqual(100)
      const [left] = await database.many<{ count: number }>(sql`
        select count(*)::int as count from gateway.sessions where user_id = ${userId} and ended_at is null`)
      expect(left?.count).toBe(0)
    }
  })
})
