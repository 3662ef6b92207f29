import { endAllSessions, endCurrentSession, getMe } from '@platform/contracts'
import { sql } from '@platform/database'
import { createClient } from '@platform/service-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { bearer, createFor } from '../../../test/access-tokens.ts'
import { startDeafInstance } from '../../../test/deaf-identity.ts'
import { me, refusedWithin, startTwoInstances, type TwoInstances } from '../../../test/sessions.ts'
import { startIdentity } from '../../../test/start-identity.ts'

let pair: TwoInstances
let deaf: Awaited<ReturnType<typeof startDeafInstance>>
beforeAll(async () => {
  pair = await startTwoInstances()
  deaf = await startDeafInstance(pair.gateway.databaseUrl)
})
afterAll(async () => {
  await deaf[Symbol.asyncDispose]()
  await pair[Symbol.asyncDispose]()
})

const statusAt = async (url: string, headers: Record<string, string>) =>
  (await fetch(`${url}/v2/me`, { headers })).status

/** How long a credential is still let in at an instance, in milliseconds from the answer to its ending. */
async function lagOf(url: string, headers: Record<string, string>, limit: number): Promise<number> {
  const startedAt = performance.now()
  await vi.waitFor(async () => expect(await statusAt(url, headers)).toBe(401), {
    timeout: limit,
    interval: 10,
  })
  return performance.now() - startedAt
}

describe('an ended session', () => {
  test('is refused at the other instance within a second, 100 of 100, and stays refused', {
    timeout: 60_000,
  }, async () => {
    const { gateway, other } = pair
    const people = await Promise.all(Array.from({ length: 100 }, () => gateway.signIn()))
    await Promise.all(people.map((who) => me(other, who)))
    const lags = await Promise.all(
      people.map(async (who) => {
        await gateway.client(who.headers)(endCurrentSession)
        return lagOf(other.url, who.headers, 2000)
      }),
    )
    lags.sort((a, b) => a - b)
    expect(lags[98]).toBeLessThan(1000)
    const after = await Promise.all(
      people.flatMap((who) => [gateway, other].map(({ url }) => statusAt(url, who.headers))),
    )
    expect(new Set(after)).toEqual(new Set([401]))
  })

  test('is refused within five seconds at an instance whose broker is down', {
    timeout: 20_000,
  }, async () => {
    const { gateway } = pair
    const people = await Promise.all(Array.from({ length: 20 }, () => gateway.signIn()))
    for (const who of people) expect(await statusAt(deaf.url, who.headers)).toBe(200)
    await Promise.all(people.map((who) => gateway.client(who.headers)(endCurrentSession)))
    await Promise.all(people.map((who) => lagOf(deaf.url, who.headers, 5000)))
  })

  test('is refused at once where it was ended, and within five seconds elsewhere, when word can’t be sent', {
    timeout: 20_000,
  }, async () => {
    const { gateway } = pair
    const who = await gateway.signIn()
    await me(gateway, who)
    await createClient(deaf.url, who.headers)(endCurrentSession)
    expect(await statusAt(deaf.url, who.headers)).toBe(401)
    await refusedWithin(gateway, who, 5000)
  })

  test('is never valid again: not at a gateway that starts afterwards, with nothing in its memory', async () => {
    const { gateway } = pair
    const [ada, bob] = [await gateway.signIn(), await gateway.signIn()]
    const again = await gateway.signIn({ userId: bob.userId })
    const token = await createFor(gateway, ada)
    await gateway.client(ada.headers)(endCurrentSession)
    await gateway.client(bob.headers)(endAllSessions)
    await gateway.database.many(sql`delete from gateway.revocations`)
    await using fresh = await startIdentity({ databaseUrl: gateway.databaseUrl })
    for (const who of [ada, bob, again]) expect(await statusAt(fresh.url, who.headers)).toBe(401)
    // Signing out ends the session, not the tokens of the account.
    expect(await statusAt(fresh.url, bearer(token.token))).toBe(200)
  })

  test('is not kept alive by requests that are on their way while it ends', { timeout: 30_000 }, async () => {
    const { gateway, other } = pair
    for (let round = 0; round < 10; round += 1) {
      const who = await gateway.signIn()
      const storm = Array.from({ length: 20 }, () => statusAt(other.url, who.headers))
      await gateway.client(who.headers)(endCurrentSession)
      for (const status of await Promise.all(storm)) expect([200, 401]).toContain(status)
      await lagOf(other.url, who.headers, 1000)
      await new Promise((resolve) => setImmediate(resolve))
      expect(await statusAt(other.url, who.headers)).toBe(401)
    }
  })
})

describe('an access token does not outlive its owner’s rights', () => {
  test('deactivated or deleted by SQL with a revocation: 401 at every instance', {
    timeout: 20_000,
  }, async () => {
    const { gateway, other } = pair
    const [off, gone] = [await gateway.signIn(), await gateway.signIn()]
    const tokens = [await createFor(gateway, off), await createFor(gateway, gone)]
    const everywhere = [gateway.url, other.url, deaf.url]
    for (const url of everywhere)
      for (const { token } of tokens) expect(await statusAt(url, bearer(token))).toBe(200)
    await gateway.database.transaction(async (tx) => {
      await tx.many(sql`update gateway.users set status = 'deactivated' where id = ${off.userId}`)
      await tx.many(sql`delete from gateway.users where id = ${gone.userId}`)
      await tx.many(
        sql`insert into gateway.revocations (id) values (${`user:${off.userId}`}), (${`user:${gone.userId}`})`,
      )
    })
    for (const url of everywhere) for (const { token } of tokens) await lagOf(url, bearer(token), 5000)
    for (const { headers } of [off, gone])
      await expect(gateway.client(headers)(getMe)).rejects.toMatchObject({ status: 401 })
  })
})
