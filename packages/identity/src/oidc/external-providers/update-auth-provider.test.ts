import { createAuthProvider, updateAuthProvider } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Crud, input, startCrud } from '../../../test/provider-crud.ts'

let crud: Crud
beforeAll(async () => {
  crud = await startCrud()
  const params = { orgSlug: 'acme' }
  await crud.root(createAuthProvider, { params, body: input('mine', { domains: ['mine.example'] }) })
  await crud.root(createAuthProvider, { params, body: input('second', { domains: ['second.example'] }) })
})
afterAll(() => crud[Symbol.asyncDispose]())

const update = (slug: string, body: unknown, headers?: { authorization: string }, org = 'acme') =>
  crud.send('PUT', `${org}/auth/sso/${slug}`, body, headers)

const secretOf = (slug: string) =>
  crud.gateway.database.many(sql`select client_secret from gateway.auth_providers where slug = ${slug}`)

describe('replacing a provider', () => {
  it('keeps its id, and its secret unless another one is given', async () => {
    const before = await secretOf('mine')
    const config = { client_id: 'another', issuer: 'http://127.0.0.1:2' }
    const params = { orgSlug: 'acme', slug: 'mine' }
    const body = input('mine', { config, enabled: false, domains: ['new.example'] })
    const updated = await crud.root(updateAuthProvider, { params, body })
    expect(updated).toMatchObject({ config, enabled: false, domains: ['new.example'], source: 'database' })
    expect(before).toMatchObject([{ client_secret: expect.stringMatching(/^test:/) }])
    expect(await secretOf('mine')).toMatchObject([{ client_secret: expect.stringMatching(/^test:/) }])
    await update('mine', input('mine', { config: { ...config, client_secret: 'another one' } }))
    expect(await secretOf('mine')).not.toEqual(before)
  })

  it.each(['PUT', 'DELETE'])('%s is refused to who has read another state', async (method) => {
    const slug = `guarded-${method.toLowerCase()}`
    const body = (name: string) => input(slug, { name, domains: [`${slug}.example`] })
    const params = { orgSlug: 'acme' }
    await crud.root(createAuthProvider, { params, body: body('One') })
    const headers = (await crud.gateway.signIn({ superAdmin: true })).headers
    const path = `${crud.gateway.url}/v2/orgs/acme/auth/sso/${slug}`
    const ask = (init: RequestInit & { tag?: string }) =>
      fetch(path, {
        ...init,
        headers: {
          ...headers,
          'content-type': 'application/json',
          ...(init.tag && { 'if-match': init.tag }),
        },
      })
    const tag = async () => (await ask({})).headers.get('etag') ?? ''
    const stale = await tag()
    expect((await update(slug, body('Two'))).status).toBe(200)
    const init = { method, ...(method === 'PUT' && { body: JSON.stringify(body('Three')) }) }
    expect((await ask({ ...init, tag: stale })).status).toBe(412)
    expect((await ask({ ...init, tag: await tag() })).status).toBe(200)
  })

  it('sends a kept secret nowhere else', async () => {
    const config = { client_id: 'x', issuer: 'http://127.0.0.1:10' }
    const { status, text } = await update('second', input('second', { config }))
    expect([status, JSON.parse(text).message]).toEqual([400, expect.stringContaining('client_secret')])
    const given = input('second', {
      config: { ...config, client_secret: 'new' },
      domains: ['second.example'],
    })
    expect((await update('second', given)).status).toBe(200)
  })

  it('changes nothing when a domain belongs to another one', async () => {
    const { status, text } = await update('mine', input('mine', { name: 'X', domains: ['second.example'] }))
    expect([status, JSON.parse(text).error]).toEqual([409, 'DomainAlreadyUsed'])
    expect((await crud.send('GET', 'acme/auth/sso/mine')).text).not.toContain('"X"')
  })

  it.each([{ slug: 'renamed' }, { type: 'saml' }, { config: {} }])('refuses %j', async (changed) => {
    const { status, text } = await update('mine', { ...input('mine'), ...changed })
    expect([status, JSON.parse(text).error]).toEqual([400, 'RequestValidationError'])
  })

  it('refuses an address that leads inside', async () => {
    const config = { client_id: 'x', issuer: 'http://169.254.169.254/latest' }
    expect((await update('mine', input('mine', { config }))).status).toBe(400)
  })

  it('answers 404 for a missing one, and for that of another organization alike', async () => {
    const missing = await update('missing', input('missing'))
    const foreign = await update('mine', input('mine'), undefined, 'other')
    expect([missing.status, foreign.status]).toEqual([404, 404])
    expect(foreign.text.replaceAll('mine', 'missing')).toBe(missing.text)
  })

  it('leaves the file alone', async () => {
    const { status, text } = await update('filed', input('filed'))
    expect(status).toBe(403)
    expect(text).toContain('AUTH_PROVIDERS_CONFIG')
  })

  it('takes a credential, of a super administrator', async () => {
    expect((await update('mine', input('mine'), crud.nobody)).status).toBe(401)
    expect((await update('mine', input('mine'), crud.ada.headers)).status).toBe(403)
  })
})
