import { createAuthProvider, deleteAuthProvider } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Crud, input, startCrud } from '../../../test/provider-crud.ts'

let crud: Crud
beforeAll(async () => {
  crud = await startCrud()
  const params = { orgSlug: 'acme' }
  await crud.root(createAuthProvider, { params, body: input('mine', { domains: ['mine.example'] }) })
})
afterAll(() => crud[Symbol.asyncDispose]())

const remove = (path: string, headers?: { authorization: string }) =>
  crud.send('DELETE', path, undefined, headers)

describe('removing a provider', () => {
  it('takes a credential, of a super administrator', async () => {
    expect((await remove('acme/auth/sso/mine', crud.nobody)).status).toBe(401)
    expect((await remove('acme/auth/sso/mine', crud.ada.headers)).status).toBe(403)
  })

  it('answers 404 for a missing one, and for that of another organization alike', async () => {
    expect((await remove('acme/auth/sso/missing')).status).toBe(404)
    expect((await remove('other/auth/sso/mine')).status).toBe(404)
    expect((await remove('acme/auth/sso/a%00b')).status).toBe(400)
  })

  it('leaves the file alone', async () => {
    expect((await remove('acme/auth/sso/filed')).status).toBe(403)
  })

  it('answers what it was, frees its domains and is told', async () => {
    const params = { orgSlug: 'acme', slug: 'mine' }
    expect(await crud.root(deleteAuthProvider, { params })).toMatchObject({ slug: 'mine', orgSlug: 'acme' })
    expect((await remove('acme/auth/sso/mine')).status).toBe(404)
    const body = input('next', { domains: ['mine.example'] })
    await crud.root(createAuthProvider, { params: { orgSlug: 'acme' }, body })
    const entries = await crud.gateway.database.many<{ details: string }>(
      sql`select details from audit.entries where subject = 'authProvider:mine' order by sequence`,
    )
    expect(entries.map(({ details }) => JSON.parse(details).change)).toEqual(['created', 'deleted'])
  })
})
