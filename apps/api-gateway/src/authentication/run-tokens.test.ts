import { generateKeyPairSync } from 'node:crypto'
import { type RunTokenClaims, signRunToken } from '@platform/auth'
import { headers as names } from '@platform/contracts'
import { raw, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { apiKeyStore, permissionStore } from '@platform/permissions'
import { apiKeyRecord } from '@platform/permissions/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type SignedIn,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../../test/start-gateway.ts'

const KID = 'key-of-the-runtime'
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const signer = { kid: KID, alg: 'ES256', privateKey: pair.privateKey }
const CORRELATION = 'correlation-of-the-test'
const WORKSPACE = 'a0123456789abcde'

let gateway: TestGateway
let behind: Upstream
let ada: SignedIn

beforeAll(async () => {
  behind = await startUpstream()
  gateway = await startGateway({ services: behind.url, everyMs: { 'reload-runtime-keys': 100 } })
  ada = await gateway.signIn()
  // The least of the schema of the runtime that the gateway reads.
  await gateway.database.many(raw('create schema runtime'))
  await gateway.database.many(
    raw(
      `create table runtime.published_keys
        (kid text, alg text, public_jwk json, published_at timestamptz default now())`,
    ),
  )
  await publish()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await behind[Symbol.asyncDispose]()
})
beforeEach(() => void behind.seen.splice(0))

const publish = () => {
  const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: KID, alg: 'ES256', use: 'sig' }
  return gateway.database.many(
    sql`insert into runtime.published_keys (kid, alg, public_jwk) values (${KID}, 'ES256', ${JSON.stringify(jwk)})`,
  )
}

const claimsOf = (changes: Partial<RunTokenClaims> = {}): RunTokenClaims => {
  const iat = Math.floor(Date.now() / 1000)
  return {
    purpose: 'call',
    jti: uuidv7(),
    iat,
    exp: iat + 10,
    iss: 'http://localhost:3001/oidc',
    aud: 'http://localhost:3001/v2',
    workspaceId: WORKSPACE,
    runId: 'run-1',
    depth: 4,
    correlationId: CORRELATION,
    ...changes,
  }
}
const tokenOf = (changes?: Partial<RunTokenClaims>) => signRunToken(claimsOf(changes), signer)
const asAda = () => ({ sub: ada.userId, prismeaiSessionId: ada.sessionId })

async function ask(headers: Record<string, string>, path = `/v2/workspaces/${WORKSPACE}/webhooks/x`) {
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'x-correlation-id': CORRELATION, ...headers },
  })
  await answer.text()
  return { status: answer.status, seen: behind.seen.at(-1)?.headers ?? {} }
}
const askAs = (token: string, more = {}, path?: string) => ask({ [names.runToken]: token, ...more }, path)

describe('the token of a run', () => {
  test('says to services whose run calls, and whom it acts for', async () => {
    const { status, seen } = await askAs(tokenOf(asAda()))
    expect(status).toBe(200)
    expect(seen).toMatchObject({
      [names.sourceWorkspaceId]: WORKSPACE,
      [names.sourceRunId]: 'run-1',
      [names.sourceDepth]: '4',
      [names.userId]: ada.userId,
      [names.sessionId]: ada.sessionId,
      [names.lentTo]: WORKSPACE,
    })
    expect(seen[names.scope]).not.toContain('workspaces:')
    expect(seen).not.toHaveProperty([names.runToken])
    expect(seen).not.toHaveProperty([names.authenticatedWorkspaceId])
  })

  test('never has the power of an administrator, nor is it a way to their account', async () => {
    const root = await gateway.signIn({ superAdmin: true })
    const token = () => tokenOf({ sub: root.userId, prismeaiSessionId: root.sessionId })
    expect((await askAs(token())).seen).not.toHaveProperty([names.role])
    for (const path of ['/v2/user/accessTokens', '/v2/platform/signing-keys/rotation', '/v2/user/mfa/totp'])
      expect((await askAs(token(), {}, path)).status, path).toBe(403)
  })

  test('of a run that nobody began is nobody’s, and still says whose run calls', async () => {
    const { status, seen } = await askAs(tokenOf())
    expect(status).toBe(200)
    expect(seen[names.sourceWorkspaceId]).toBe(WORKSPACE)
    expect(seen).not.toHaveProperty([names.userId])
  })

  test('is nobody’s once the session has ended, or where it is of somebody else', async () => {
    const leaving = await gateway.signIn()
    const token = () => tokenOf({ sub: leaving.userId, prismeaiSessionId: leaving.sessionId })
    expect((await askAs(token())).seen[names.userId]).toBe(leaving.userId)
    await gateway.database.many(
      sql`update gateway.sessions set ended_at = now() where id = ${leaving.sessionId}`,
    )
    expect((await askAs(token())).seen).not.toHaveProperty([names.userId])
    const mixed = tokenOf({ sub: leaving.userId, prismeaiSessionId: ada.sessionId })
    expect((await askAs(mixed)).seen).not.toHaveProperty([names.userId])
  })

  test('as the workspace is no person’s', async () => {
    const { seen } = await askAs(tokenOf({ asWorkspace: true }))
    expect(seen[names.authenticatedWorkspaceId]).toBe(WORKSPACE)
    expect(seen).not.toHaveProperty([names.userId])
  })

  test('brings a key of its own workspace, and none of another', async () => {
    const other = 'b0123456789abcde'
    for (const id of [WORKSPACE, other])
      await permissionStore(gateway.database).insertWorkspace({ id, slug: `slug-${id}`, name: id })
    const [mine, theirs] = [WORKSPACE, other].map((workspaceId) =>
      apiKeyRecord({ id: uuidv7(), workspaceId, createdBy: ada.userId }),
    )
    for (const key of [mine, theirs]) if (key) await apiKeyStore(gateway.database).insert(key, key.id)
    expect((await askAs(tokenOf({ apiKeyId: mine?.id ?? '' }))).seen[names.apiKeyId]).toBe(mine?.id)
    expect((await askAs(tokenOf({ apiKeyId: theirs?.id ?? '' }))).seen).not.toHaveProperty([names.apiKeyId])
    await apiKeyStore(gateway.database).remove(mine?.id ?? '')
    expect((await askAs(tokenOf({ apiKeyId: mine?.id ?? '' }))).seen).not.toHaveProperty([names.apiKeyId])
  })

  test('stands behind a credential that the request has, and is lent nothing then', async () => {
    const eve = await gateway.signIn()
    const { seen } = await askAs(tokenOf(asAda()), eve.headers)
    expect(seen[names.userId]).toBe(eve.userId)
    expect(seen[names.sourceWorkspaceId]).toBe(WORKSPACE)
    expect(seen).not.toHaveProperty([names.lentTo])
  })
})

const old = () => Math.floor(Date.now() / 1000) - 60
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

describe('401 is the answer to', () => {
  test.each<[string, () => string]>([
    ['the JWT of a session', () => ada.jwt],
    ['a proof, which is for the runtime alone', () => tokenOf({ purpose: 'proof' })],
    ['one that has expired', () => tokenOf({ iat: old(), exp: old() + 10 })],
    ['one that would count for longer', () => tokenOf({ exp: Math.floor(Date.now() / 1000) + 3600 })],
    ['one of the future', () => tokenOf({ iat: old() + 120, exp: old() + 130 })],
    ['one for another audience', () => tokenOf({ aud: 'https://elsewhere.example/v2' })],
    ['one of another issuer', () => tokenOf({ iss: 'https://elsewhere.example/oidc' })],
    ['one of another request', () => tokenOf({ correlationId: 'another-correlation' })],
    ['one without a workspace', () => tokenOf({ workspaceId: '' })],
    ['one with a depth that is none', () => tokenOf({ depth: -1 })],
    ['one that a stranger has signed', () => signRunToken(claimsOf(), { ...signer, privateKey: stranger })],
    ['one of a key that is not there', () => signRunToken(claimsOf(), { ...signer, kid: 'some-other-key' })],
    ['one that was changed', () => tokenOf().replace(/\.[^.]{8}/, '.eyJhIjoi')],
    ['one without a signature', () => `${tokenOf().split('.').slice(0, 2).join('.')}.`],
    ['two of them', () => `${tokenOf()}, ${tokenOf()}`],
    ['an access token', () => `at:${'a'.repeat(49)}`],
    ['nothing', () => ' '],
  ])('%s', async (_, make) => {
    const { status } = await askAs(make())
    expect(status).toBe(401)
    expect(behind.seen).toEqual([])
  })

  test.each<[string, () => Record<string, string>]>([
    ['a token of a run as a Bearer', () => ({ authorization: `Bearer ${tokenOf(asAda())}` })],
    ['a proof as a Bearer', () => ({ authorization: `Bearer ${tokenOf({ purpose: 'proof' })}` })],
    ['a token of a run as an API key', () => ({ [names.apiKey]: tokenOf(asAda()) })],
  ])('%s, wherever it is sent', async (_, headers) => {
    expect((await ask(headers(), `/v2/workspaces/${WORKSPACE}/events`)).status).toBe(401)
    expect((await ask(headers())).status).toBe(401)
    expect(behind.seen).toEqual([])
  })

  test('one of a key that was deleted by hand, without a restart', async () => {
    expect((await askAs(tokenOf())).status).toBe(200)
    await gateway.database.many(sql`delete from runtime.published_keys`)
    await vi.waitFor(async () => expect((await askAs(tokenOf())).status).toBe(401), 10_000)
    await publish()
    await vi.waitFor(async () => expect((await askAs(tokenOf())).status).toBe(200), 10_000)
  })
})

const forged = [
  names.sourceWorkspaceId,
  names.sourceRunId,
  names.sourceDepth,
  names.authenticatedWorkspaceId,
  names.lentTo,
]

test.each(
  forged.flatMap((name) => [
    name,
    name.toUpperCase(),
    name.replaceAll('-', '_'),
    name.replace('platform-', 'platform_'),
  ]),
)('a client that sends %s says nothing by it', async (name) => {
  const { status, seen } = await ask({ [name]: 'b0123456789abcde', connection: 'close' })
  expect(status).toBe(200)
  for (const one of Object.keys(seen)) expect(forged).not.toContain(one.replaceAll('_', '-'))
})
