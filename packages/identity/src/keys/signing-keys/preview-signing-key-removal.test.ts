import { listSigningKeys, previewSigningKeyRemoval, rotateSigningKey } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SignedIn } from '../../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'

let gateway: TestIdentity
let root: SignedIn
let kid: string
beforeAll(async () => {
  gateway = await startIdentity({ env: { JWKS_KTY: 'EC', JWKS_ALG: 'ES256', JWKS_SIZE: '256' } })
  root = await gateway.signIn({ superAdmin: true })
  kid = (await gateway.client(root.headers)(listSigningKeys))[0]?.kid ?? ''
})
afterAll(() => gateway[Symbol.asyncDispose]())

const preview = (id: string, headers: Record<string, string> = root.headers) =>
  gateway.client(headers)(previewSigningKeyRemoval, { params: { kid: id } })

describe('GET /v2/platform/signing-keys/{kid}/removal', () => {
  test('counts the live sessions behind a key, the people and the clients', async () => {
    await gateway.database.many(sql`delete from gateway.sessions`)
    const session = (
      id: string,
      user: string,
      client: string,
      ended: boolean,
      minutes: number,
      signedBy = kid,
    ) =>
      gateway.database.many(sql`
        insert into gateway.sessions (id, user_id, client_id, anonymous, expires_at, ended_at, signing_kid)
        values (${id}, ${user}, ${client}, false, now() + make_interval(mins => ${minutes}),
          ${ended ? new Date() : null}, ${signedBy})`)
    await session('s1', 'ada', 'console', false, 5)
    await session('s2', 'ada', 'console', false, 5)
    await session('s3', 'bob', 'app', false, 5)
    await session('s4', 'robot', 'robot', false, 5)
    await session('ended', 'eve', 'console', true, 5)
    await session('over', 'eve', 'console', false, -5)
    await session('other', 'eve', 'console', false, 5, 'another-key')
    expect(await preview(kid, gateway.internalHeaders)).toEqual({
      kid,
      state: 'signing',
      sessions: 4,
      users: 2,
      clients: [
        { clientId: 'console', sessions: 2 },
        { clientId: 'app', sessions: 1 },
        { clientId: 'robot', sessions: 1 },
      ],
      successor: null,
    })
  })

  test('names the key that signs afterwards, and removes nothing', async () => {
    root = await gateway.signIn({ superAdmin: true })
    const { keys } = await gateway.client(root.headers)(rotateSigningKey, { body: {} })
    const waiting = keys.find(({ state }) => state === 'published')?.kid ?? ''
    expect(await preview(kid)).toMatchObject({ state: 'signing', successor: waiting })
    expect(await preview(waiting)).toMatchObject({ state: 'published', sessions: 0, successor: kid })
    expect(await gateway.client(root.headers)(listSigningKeys)).toHaveLength(2)
  })

  test.each(['no-such-key', 'x'.repeat(500), '%00', "' or 1=1 --"])('answers 404 for %s', async (id) => {
    const path = `/v2/platform/signing-keys/${id === '%00' ? id : encodeURIComponent(id)}/removal`
    const { status } = await fetch(gateway.url + path, { headers: root.headers })
    expect([404, 400]).toContain(status)
  })

  test('is not for callers without a credential, nor for others than super administrators', async () => {
    await expect(preview(kid, {})).rejects.toMatchObject({ status: 401 })
    const ada = await gateway.signIn()
    await expect(preview(kid, ada.headers)).rejects.toMatchObject({ status: 403 })
    await expect(preview('no-such-key', ada.headers)).rejects.toMatchObject({ status: 403 })
  })
})
