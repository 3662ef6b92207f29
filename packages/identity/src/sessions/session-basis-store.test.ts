import { sql } from '@platform/database'
import { systemClock, uuidv7 } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { identityDatabase } from '../../test/identity-server.ts'
import { sessionStore } from './session-store.ts'
import { noTrail } from './session-trail.ts'
import { liveSessions, type NewSession } from './sessions.ts'

describe('what a session stands on', () => {
  let database: Awaited<ReturnType<typeof identityDatabase>>
  let sessions: ReturnType<typeof liveSessions>
  beforeAll(async () => {
    database = await identityDatabase()
    const records = sessionStore(database, noTrail)
    sessions = liveSessions({ records, broadcast: async () => undefined, clock: systemClock })
  })
  afterAll(() => database[Symbol.asyncDispose]())

  const addUser = async () => {
    const id = uuidv7()
    await database.many(sql`insert into gateway.users (id, status) values (${id}, 'validated')`)
    return id
  }
  const sessionOf = (userId: string, basis: NewSession['basis']): NewSession => ({
    ...{ userId, clientId: 'console', anonymous: false, basis },
    expiresAt: new Date(Date.now() + 60_000),
  })
  const liveOf = async (userId: string) => {
    const rows = await database.many<{ id: string }>(
      sql`select id from gateway.sessions where user_id = ${userId} and ended_at is null`,
    )
    return rows.map(({ id }) => id)
  }
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)

  test('is refused where the account was secured since, and nobody who starts beside it is', async () => {
    const [secured, other] = [await addUser(), await addUser()]
    await database.many(sql`update gateway.users set sign_ins_valid_from = now() where id = ${secured}`)
    const outcomes = await Promise.allSettled([
      sessions.start(sessionOf(secured, { provedAt: ago(10) })),
      sessions.start(sessionOf(other, { provedAt: ago(10) })),
      sessions.start(sessionOf(secured, { provedAt: ago(-10) })),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(outcomes[0]).toMatchObject({ reason: { name: 'AuthenticationError' } })
    expect(await liveOf(secured)).toHaveLength(1)
  })

  test('is refused for an account that is gone, and for a session that has ended', async () => {
    await expect(sessions.start(sessionOf('nobody', { provedAt: new Date() }))).rejects.toThrow(
      'sign in again',
    )
    const userId = await addUser()
    const { sessionId } = await sessions.start(sessionOf(userId, undefined))
    const child = await sessions.start(sessionOf(userId, { sessionId }))
    await sessions.end(sessionId)
    await expect(sessions.start(sessionOf(userId, { sessionId }))).rejects.toThrow('sign in again')
    expect(await liveOf(userId)).toEqual([child.sessionId])
  })

  test('leaves no session of an old password, whichever of 40 starts and 10 changes comes first', async () => {
    const userId = await addUser()
    const change = () =>
      database.transaction(async (tx) => {
        await tx.many(sql`
          update gateway.users set sign_ins_valid_from = clock_timestamp() + interval '5 seconds' where id = ${userId}`)
        await tx.many(
          sql`update gateway.sessions set ended_at = now() where user_id = ${userId} and ended_at is null`,
        )
      })
    const start = () => sessions.start(sessionOf(userId, { provedAt: new Date() }))
    const rounds = Array.from({ length: 50 }, (_, index) => (index % 5 === 4 ? change() : start()))
    await Promise.allSettled(rounds)
    expect(await liveOf(userId)).toEqual([])
  })
})
