import { createAuthProvider, listAuthProviders } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Crud, input, SECRET, startCrud } from '../../../test/provider-crud.ts'

let crud: Crud
beforeAll(async () => {
  crud = await startCrud()
  const add = (orgSlug: string, slug: string) =>
    crud.root(createAuthProvider, { params: { orgSlug }, body: input(slug) })
  for (const slug of ['b', 'a', 'hidden']) await add('acme', slug)
  await add('other', 'foreign')
  await crud.gateway.database.many(
    sql`update gateway.auth_providers set slug = 'filed' where slug = 'hidden'`,
  )
})
afterAll(() => crud[Symbol.asyncDispose]())

const list = (org: string, headers?: { authorization: string }) =>
  crud.send('GET', `${org}/auth/sso`, undefined, headers)

describe('listing providers', () => {
  it('answers those of the platform and of the organization; the file wins on a slug', async () => {
    const listed = await crud.root(listAuthProviders, { params: { orgSlug: 'acme' } })
    expect(listed.map(({ slug, source }) => [slug, source])).toEqual([
      ['filed', 'file'],
      ['a', 'database'],
      ['b', 'database'],
    ])
    expect((await list('acme')).text).not.toMatch(new RegExp(`${SECRET}|client_secret`))
  })

  it('answers those of the platform alone to an organization without any', async () => {
    const listed = await crud.root(listAuthProviders, { params: { orgSlug: 'nobody' } })
    expect(listed.map(({ slug }) => slug)).toEqual(['filed'])
  })

  it('refuses an organization that no store can hold', async () => {
    expect((await list('a%00b')).status).toBe(400)
  })

  it.each(['Acme', 'a.b', '-acme', 'a'.repeat(61), 'caf%C3%A9'])('knows no organization %s', async (org) => {
    expect((await list(org)).status).toBe(404)
    expect((await crud.send('GET', `${org}/auth/sso/filed`)).status).toBe(404)
    expect((await crud.send('POST', `${org}/auth/sso`, input('kept-nowhere'))).status).toBe(404)
    expect((await crud.send('PUT', `${org}/auth/sso/filed`, input('filed'))).status).toBe(404)
    expect((await crud.send('DELETE', `${org}/auth/sso/filed`)).status).toBe(404)
  })

  it('takes a credential, of a super administrator', async () => {
    expect((await list('acme', crud.nobody)).status).toBe(401)
    expect((await list('acme', crud.ada.headers)).status).toBe(403)
  })
})
