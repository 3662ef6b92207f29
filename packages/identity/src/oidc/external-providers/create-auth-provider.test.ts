import { createAuthProvider } from '@platform/contracts'
import { sql } from '@platform/database'
import { masterKeyRing } from '@platform/master-keys'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Crud, input, SECRET, startCrud } from '../../../test/provider-crud.ts'
import { authProviderStore } from './auth-provider-store.ts'

let crud: Crud
beforeAll(async () => {
  crud = await startCrud()
})
afterAll(() => crud[Symbol.asyncDispose]())

const create = (body: unknown, headers?: { authorization: string }) =>
  crud.send('POST', 'acme/auth/sso', body, headers)

describe('adding a provider to an organization', () => {
  it('answers it without its secret, tells the event feed and the audit trail', async () => {
    const created = await crud.root(createAuthProvider, {
      params: { orgSlug: 'acme' },
      body: input('first', { domains: ['first.example'], attributesMapping: { email: 'upn' } }),
    })
    expect(created).toEqual({
      id: expect.any(String),
      slug: 'first',
      orgSlug: 'acme',
      source: 'database',
      type: 'oidc',
      name: 'Provider first',
      config: { client_id: 'platform', issuer: 'http://127.0.0.1:2' },
      attributesMapping: { email: 'upn' },
      domains: ['first.example'],
      enabled: true,
      meta: {},
    })
    const { database } = crud.gateway
    const [entry] = await database.many(
      sql`select actor, details from audit.entries where subject = 'authProvider:first'`,
    )
    expect(entry).toEqual({ actor: `user:${crud.rootId}`, details: '{"change":"created","orgSlug":"acme"}' })
    const events = await database.many<{ text: string }>(
      sql`select to_jsonb(e)::text as text from outbox.events e where to_jsonb(e)::text like '%gateway.sso.updated%'`,
    )
    expect(events).toHaveLength(1)
    expect(events[0]?.text).toContain('"first"')
    expect(events[0]?.text).not.toContain(SECRET)
  })

  it('keeps the secret sealed, bound to its row', async () => {
    await create(input('sealed'))
    const { database } = crud.gateway
    const rows = await database.many<{ text: string }>(
      sql`select to_jsonb(p)::text as text from gateway.auth_providers p`,
    )
    expect(rows.map(({ text }) => text).join()).not.toContain(SECRET)
    const store = authProviderStore(database, masterKeyRing([{ id: 'test', key: Buffer.alloc(32, 7) }]))
    expect((await store.findBySlug('sealed'))?.config.client_secret).toBe(SECRET)
    await database.many(sql`
      update gateway.auth_providers set client_secret = (
        select client_secret from gateway.auth_providers where slug = 'first') where slug = 'sealed'`)
    await expect(store.findBySlug('sealed')).rejects.toThrow('is not the one that sealed')
    await database.many(sql`delete from gateway.auth_providers where slug = 'sealed'`)
  })

  it.each([
    { slug: 'UPPER' },
    { slug: 'local' },
    { type: 'saml' },
    { config: { client_id: 'x' } },
    { config: { client_id: 'x', issuer: 'ftp://idp.example' } },
    { config: { client_id: 'x', issuer: 'not an address' } },
    { config: { client_id: 'x', issuer: 'https://user:password@idp.example' } },
    { domains: ['no domain'] },
    { domains: ['.'] },
    { domains: ['partner.example.'] },
    { other: true },
  ])('refuses %j', async (changed) => {
    const { status, text } = await create({ ...input('refused'), ...changed })
    expect([status, JSON.parse(text).error]).toEqual([400, 'RequestValidationError'])
  })

  it.each([
    'http://169.254.169.254',
    'http://127.0.0.2:3001',
    'http://[::ffff:10.0.0.1]/',
    'http://2130706434/',
  ])('refuses the issuer %s, which leads inside', async (issuer) => {
    const { status, text } = await create(input('inside', { config: { client_id: 'x', issuer } }))
    expect([status, JSON.parse(text).error]).toEqual([400, 'RequestValidationError'])
    expect(text).toContain('config.issuer')
  })

  it('refuses other addresses of a provider that lead inside', async () => {
    const urls = {
      authorization_endpoint: 'https://idp.example/auth',
      token_endpoint: 'http://10.0.0.1/token',
      jwks_uri: 'http://127.0.0.1:2/jwks',
    }
    const { status, text } = await create(input('inside', { config: { client_id: 'x', ...urls } }))
    expect(status).toBe(400)
    expect(text).toContain('config.token_endpoint')
  })

  it('refuses a slug and a domain that another provider of the platform has', async () => {
    await create(input('taken', { domains: ['taken.example'] }))
    const refusals = [
      await create(input('taken')),
      await create(input('filed')),
      await create(input('other', { domains: ['new.example', 'taken.example'] })),
      await create(input('other', { domains: ['filed.example'] })),
    ]
    expect(refusals.map(({ status, text }) => [status, JSON.parse(text).error])).toEqual([
      [409, 'AlreadyUsed'],
      [409, 'AlreadyUsed'],
      [409, 'DomainAlreadyUsed'],
      [409, 'DomainAlreadyUsed'],
    ])
    expect((await create(input('other', { domains: ['new.example'] }))).status).toBe(200)
  })

  it('takes a credential', async () => {
    expect((await create(input('x'), crud.nobody)).status).toBe(401)
  })

  it('is for super administrators', async () => {
    expect((await create(input('x'), crud.ada.headers)).status).toBe(403)
  })
})
