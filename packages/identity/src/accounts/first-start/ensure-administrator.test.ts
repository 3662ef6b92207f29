import { openDatabase, sql } from '@platform/database'
import { afterEach, describe, expect, it } from 'vitest'
import { CHEAP_HASH } from '../../../test/cheap-hash.ts'
import { identityDatabase } from '../../../test/identity-server.ts'
import { passwords } from '../../credentials/passwords/passwords.ts'
import { isAnonymous, presentUser } from '../../users/user.ts'
import { purgeAnonymousUsers, userStore } from '../../users/user-store.ts'
import { ensureAdministrator } from './ensure-administrator.ts'
import { firstStartStore } from './first-start-store.ts'
import { makeSampleWorkspace } from './make-sample-workspace.ts'

const common = { superAdminEmails: [], withSample: true, opsCommand: 'docker exec abc ops' }
const given = { ...common, email: 'Root@Example.com', password: 'correct horse' }
const generated = { ...common, email: undefined, password: undefined }
const neverAborted = new AbortController().signal

let open: AsyncDisposableStack | undefined
afterEach(() => open?.disposeAsync())

async function platform() {
  open = new AsyncDisposableStack()
  const database = open.use(await identityDatabase())
  const users = userStore(database)
  return { database, users, passwords: passwords(users, CHEAP_HASH) }
}

describe('the first administrator', () => {
  it('is made from the environment and is a super administrator', async () => {
    const { users, passwords } = await platform()
    const first = await ensureAdministrator({ users, passwords, settings: given })
    expect(first?.lines.join('\n')).not.toContain('correct horse')
    expect(await users.find(first?.userId ?? '')).toMatchObject({
      email: 'root@example.com',
      platformRole: 'superAdmin',
      status: 'validated',
    })
    expect(await passwords.check('root@example.com', 'correct horse')).toMatchObject({ outcome: 'matches' })
  })

  it('gets a generated password that is told once, and never at a later start', async () => {
    const { users, passwords } = await platform()
    const first = await ensureAdministrator({ users, passwords, settings: generated })
    const password = /password {2}(\S+)/.exec(first?.lines.join('\n') ?? '')?.[1] ?? ''
    expect(password.length).toBeGreaterThanOrEqual(16)
    expect(first?.email).toBe('admin@localhost')
    expect(first?.lines.at(-1)).toContain('docker exec abc ops admin reset-password admin@localhost')
    expect(await passwords.check('admin@localhost', password)).toMatchObject({ outcome: 'matches' })
    expect(await ensureAdministrator({ users, passwords, settings: generated })).toBeUndefined()
    expect(await ensureAdministrator({ users, passwords, settings: given })).toBeUndefined()
  })

  it('takes the first super administrator’s address when none is given', async () => {
    const { users, passwords } = await platform()
    const settings = { ...generated, superAdminEmails: ['boss@example.com'] }
    expect((await ensureAdministrator({ users, passwords, settings }))?.email).toBe('boss@example.com')
  })

  it('is one, however many gateways start at once', async () => {
    const { database } = await platform()
    const gateways = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const own = open?.use(await openDatabase(database.url, { allowWeakDurability: true })) ?? database
        const users = userStore(own)
        return { users, passwords: passwords(users, CHEAP_HASH), settings: generated }
      }),
    )
    const made = await Promise.all(gateways.map(ensureAdministrator))
    expect(made.filter((one) => one !== undefined)).toHaveLength(1)
    expect(await database.many(sql`select id from gateway.users`)).toHaveLength(1)
  })

  it.each([
    [{ ...given, password: 'short' }, 'ADMIN_PASSWORD'],
    [{ ...given, email: 'no address' }, 'ADMIN_EMAIL'],
  ])('is refused with a sentence when %j', async (settings, name) => {
    const { users, passwords } = await platform()
    await expect(ensureAdministrator({ users, passwords, settings })).rejects.toThrow(name)
    expect(await users.hasAccounts()).toBe(false)
  })

  it('is still to be made when only anonymous visitors are there', async () => {
    const { users, passwords } = await platform()
    await users.insertAnonymous({ expiresAt: new Date(Date.now() + 60_000) })
    expect(await ensureAdministrator({ users, passwords, settings: given })).toBeDefined()
  })
})

describe('super administrators by configuration', () => {
  it('are those whose address was validated, and nobody who only signed up with it', async () => {
    const { database } = await platform()
    const users = userStore(database, ['Boss@Example.com'])
    await database.many(
      sql`insert into gateway.users (id, email, status) values ('boss', 'boss@example.com', 'validated')`,
    )
    expect((await users.find('boss'))?.platformRole).toBeUndefined()
    await database.many(sql`update gateway.users set email_validated_at = now() where id = 'boss'`)
    expect((await users.find('boss'))?.platformRole).toBe('superAdmin')
  })
})

describe('the sample workspace', () => {
  it('is asked for until it was made, once, for the administrator', async () => {
    const { database, users, passwords } = await platform()
    const first = await ensureAdministrator({ users, passwords, settings: given })
    const asked: string[] = []
    const requestSample = async (ownerId: string) => {
      asked.push(ownerId)
      if (asked.length < 3) throw new Error('workspaces does not answer yet')
    }
    const jobs = [1, 2].map(() =>
      makeSampleWorkspace({ firstStart: firstStartStore(database), requestSample }),
    )
    for (let round = 0; round < 5; round += 1) {
      for (const job of jobs) await job.run(neverAborted).catch(() => undefined)
    }
    expect(asked).toEqual([first?.userId, first?.userId, first?.userId])
  })

  it('is asked for by one of several gateways at a time', async () => {
    const { database, users, passwords } = await platform()
    await ensureAdministrator({ users, passwords, settings: given })
    let asked = 0
    const requestSample = async () => {
      asked += 1
    }
    const jobs = [1, 2, 3].map(() =>
      makeSampleWorkspace({ firstStart: firstStartStore(database), requestSample }),
    )
    await Promise.all(jobs.map((job) => job.run(neverAborted)))
    expect(asked).toBe(1)
  })

  it('is not made when it is not wanted', async () => {
    const { database, users, passwords } = await platform()
    await ensureAdministrator({ users, passwords, settings: { ...given, withSample: false } })
    const requestSample = () => Promise.reject(new Error('nobody asked for it'))
    await makeSampleWorkspace({ firstStart: firstStartStore(database), requestSample }).run(neverAborted)
  })
})

describe('anonymous users', () => {
  it('are users until their time is over', async () => {
    const { users } = await platform()
    const soon = await users.insertAnonymous({ expiresAt: new Date(Date.now() + 60_000) })
    const over = await users.insertAnonymous({ expiresAt: new Date(Date.now() - 1) })
    expect(presentUser(soon)).toEqual({
      id: soon.id,
      status: 'validated',
      authData: { anonymous: {} },
      meta: {},
      createdAt: soon.createdAt.toISOString(),
      updatedAt: soon.updatedAt.toISOString(),
    })
    expect(isAnonymous(soon)).toBe(true)
    await purgeAnonymousUsers({ users, clock: { now: () => new Date() } }).run(neverAborted)
    expect(await users.find(soon.id)).toBeDefined()
    expect(await users.find(over.id)).toBeUndefined()
  })
})
