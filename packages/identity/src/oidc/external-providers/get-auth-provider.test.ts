import { createAuthProvider, getAuthProvider } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Crud, input, SECRET, startCrud } from '../../../test/provider-crud.ts'

let crud: Crud
beforeAll(async () => {
  crud = await startCrud()
  await crud.root(createAuthProvider, { params: { orgSlug: 'acme' }, body: input('mine') })
})
afterAll(() => crud[Symbol.asyncDispose]())

const get = (path: string, headers?: { authorization: string }) => crud.send('GET', path, undefined, headers)

describe('reading a provider', () => {
  it('answers that of the organization, and that of the file, without secrets', async () => {
    const of = (slug: string) => crud.root(getAuthProvider, { params: { orgSlug: 'acme', slug } })
    expect(await of('mine')).toMatchObject({ slug: 'mine', source: 'database', orgSlug: 'acme' })
    expect(await of('filed')).toMatchObject({ slug: 'filed', source: 'file' })
    expect((await get('acme/auth/sso/mine')).text).not.toContain(SECRET)
    expect((await get('acme/auth/sso/filed')).text).not.toContain('client_secret')
  })

  it('refuses a slug that no store can hold', async () => {
    expect((await get('acme/auth/sso/a%00b')).status).toBe(400)
  })

  it('answers 404 for a missing one, and for that of another organization alike', async () => {
    const [missing, foreign] = [await get('acme/auth/sso/nobody'), await get('other/auth/sso/mine')]
    expect([missing.status, foreign.status]).toEqual([404, 404])
    expect(foreign.text.replaceAll('mine', 'nobody')).toBe(missing.text)
  })

  it('takes a credential, of a super administrator', async () => {
    expect((await get('acme/auth/sso/mine', crud.nobody)).status).toBe(401)
    expect((await get('acme/auth/sso/mine', crud.ada.headers)).status).toBe(403)
  })
})
