import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { identityDatabase } from '../../test/identity-server.ts'
import { presentUser } from './user.ts'
import { type UserStore, userStore } from './user-store.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
let users: UserStore
beforeAll(async () => {
  database = await identityDatabase()
  users = userStore(database, ['Boss@example.com'])
})
afterAll(() => database[Symbol.asyncDispose]())

let made = 0
const provided = (changed: { email?: string | undefined } = {}) => {
  made += 1
  return {
    email: `provided-${made}@example.com`,
    firstName: 'Ada',
    lastName: undefined,
    language: undefined,
    provider: 'google',
    authData: { id: `g-${made}` },
    ...changed,
  }
}

describe('accounts of external providers', () => {
  test('can be used at once, have no password, and their address is not validated by it', async () => {
    const user = await users.createValidated(provided({ email: 'BOSS@example.com' }))
    expect(user).toMatchObject({
      email: 'boss@example.com',
      status: 'validated',
      authData: { google: { id: expect.any(String) } },
      emailValidatedAt: undefined,
      platformRole: undefined,
    })
    expect((await users.findByEmail('boss@example.com'))?.passwordHash).toBeUndefined()
  })

  test('an address has one account, whatever its case; those without an address are many', async () => {
    const { email } = await users.createValidated(provided())
    await expect(users.createValidated(provided({ email: email?.toUpperCase() }))).rejects.toMatchObject({
      name: 'AlreadyUsed',
    })
    const nameless = [provided({ email: undefined }), provided({ email: undefined })]
    const ids = await Promise.all(nameless.map(async (one) => (await users.createValidated(one)).id))
    expect(new Set(ids).size).toBe(2)
  })

  test('what a provider knows is replaced, of others nothing', async () => {
    const { id } = await users.createValidated(provided())
    await users.addAuthData(id, 'github', { id: 1, old: true })
    const user = await users.addAuthData(id, 'github', { id: 2 })
    expect(user?.authData).toEqual({ google: { id: expect.any(String) }, github: { id: 2 } })
    expect(await users.addAuthData('nobody', 'github', {})).toBeUndefined()
  })
})

describe('pictures', () => {
  test('are set and taken away', async () => {
    const { id } = await users.createValidated(provided())
    expect((await users.setPhoto(id, 'https://x.example/1.png'))?.photo).toBe('https://x.example/1.png')
    expect((await users.setPhoto(id, undefined))?.photo).toBeUndefined()
    expect(await users.setPhoto('nobody', 'https://x.example/1.png')).toBeUndefined()
  })

  test('belong to accounts, not to visitors', async () => {
    const visitor = await users.insertAnonymous({ expiresAt: new Date(Date.now() + 1000) })
    expect(await users.setPhoto(visitor.id, 'https://x.example/1.png')).toBeUndefined()
  })
})

describe('super administrators by SUPER_ADMIN_EMAILS', () => {
  test('are those whose address was answered, until they have another one', async () => {
    const { id } = await users.createValidated(provided())
    const edit = (change: Parameters<ReturnType<UserStore['changes']>['edit']>[1]) =>
      database.transaction(async (tx) => {
        const edited = await users.changes(tx).edit([id], change)
        return edited === 'taken' ? undefined : edited[0]
      })
    await database.many(sql`delete from gateway.users where email = 'boss@example.com'`)
    expect((await edit({ email: 'boss@example.com' }))?.platformRole).toBeUndefined()
    expect((await edit({ emailAnswered: true }))?.platformRole).toBe('superAdmin')
    expect((await edit({ email: 'BOSS@example.com' }))?.platformRole).toBe('superAdmin')
    const moved = await edit({ email: 'else@example.com' })
    expect([moved?.platformRole, moved?.emailValidatedAt]).toEqual([undefined, undefined])
    expect((await edit({ email: 'boss@example.com' }))?.platformRole).toBeUndefined()
  })
})

test('a user is shown with everything but what is for the platform alone', async () => {
  const user = await users.createValidated(provided())
  const shown = presentUser({ ...user, emailValidatedAt: new Date() })
  expect(Object.keys(shown).sort()).toEqual(
    ['id', 'email', 'firstName', 'status', 'authData', 'meta', 'createdAt', 'updatedAt'].sort(),
  )
})
