import { sql } from '@platform/database'
import { systemClock, uuidv7 } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import type { Mailer } from '@platform/mail'
import { masterKeyRing } from '@platform/master-keys'
import { runOnce } from '@platform/service'
import PostalMime from 'postal-mime'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { identityDatabase } from '../../test/identity-server.ts'
import { startMailServer } from '../../test/mail-server.ts'
import { deliverMails } from './deliver-mails.ts'
import { pauseAfter } from './mail.ts'
import { mailStore } from './mail-store.ts'
import { openMails } from './mails-part.ts'

const masterKeys = masterKeyRing([{ id: 'k1', key: Buffer.alloc(32, 1) }])
const otherKeys = masterKeyRing([{ id: 'k2', key: Buffer.alloc(32, 2) }])

let stack: AsyncDisposableStack
let database: Awaited<ReturnType<typeof identityDatabase>>
let lines: string[]
beforeEach(async () => {
  stack = new AsyncDisposableStack()
  database = stack.use(await identityDatabase())
  lines = []
})
afterEach(() => stack.disposeAsync())

const startServer = async (answers: { code?: number } = {}) => stack.use(await startMailServer(answers))

const log = () => {
  const base = createLogger({ level: 'silent' })
  return Object.assign(Object.create(base), {
    warn: (...line: unknown[]) => lines.push(JSON.stringify(line)),
  }) as typeof base
}

const wire = (env: Record<string, string>, keys = masterKeys, development = false) =>
  openMails({
    env,
    database,
    masterKeys: keys,
    opened: stack,
    origin: 'https://x.example',
    development,
    clock: systemClock,
    log: log(),
  })

const post = ({ mails }: ReturnType<typeof wire>, to = 'ada@example.com') =>
  database.transaction((tx) =>
    mails.post(tx, {
      to,
      language: 'fr',
      template: 'resetPassword',
      values: { url: `https://x.example/?token=${uuidv7()}` },
    }),
  )

const deliver = async ({ part }: ReturnType<typeof wire>, name = 'deliver-mails') => {
  const job = part.jobs.find((one) => one.name === name)
  expect(job && (await runOnce(job, createLogger({ level: 'silent' }), new AbortController().signal))).toBe(
    true,
  )
}
const waiting = () =>
  database.many<{ attempts: number; seconds: number }>(sql`
    select attempts, extract(epoch from next_try_at - now())::int as seconds from gateway.mails order by id`)
const dueNow = () => database.many(sql`update gateway.mails set next_try_at = now()`)

describe('mails that wait', () => {
  test('are sent after the commit and are gone then', async () => {
    const { port, received } = await startServer()
    const wired = wire({ SMTP_HOST: '127.0.0.1', SMTP_PORT: port, EMAIL_FROM: 'Us <us@x.example>' })
    await post(wired)
    wired.mails.deliverSoon()
    await vi.waitFor(async () => expect(await waiting()).toEqual([]), { timeout: 5000 })
    const mail = await new PostalMime().parse(received[0] ?? '')
    expect(mail).toMatchObject({
      from: { address: 'us@x.example' },
      to: [{ address: 'ada@example.com' }],
      subject: expect.stringContaining('nouveau mot de passe'),
    })
  })

  test('are not there when what they tell of was rolled back', async () => {
    const wired = wire({})
    const failing = database.transaction(async (tx) => {
      const mail = { to: 'ada@example.com', language: 'en', template: 'resetPassword', values: {} } as const
      await wired.mails.post(tx, mail)
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await waiting()).toEqual([])
  })

  test('hold neither address nor link in the database', async () => {
    await post(wire({}), 'secret-reader@example.com')
    const rows = await database.many(sql`select * from gateway.mails`)
    expect(JSON.stringify(rows)).not.toMatch(/secret-reader|token|example\.com/)
  })

  test('are sent once, however many instances send', async () => {
    const { port, received } = await startServer()
    const wired = wire({ SMTP_HOST: '127.0.0.1', SMTP_PORT: port })
    const other = wire({ SMTP_HOST: '127.0.0.1', SMTP_PORT: port })
    await Promise.all(Array.from({ length: 30 }, (_, index) => post(wired, `reader-${index}@example.com`)))
    await Promise.all([deliver(wired), deliver(other), deliver(wired), deliver(other)])
    const readers = await Promise.all(
      received.map(async (raw) => (await new PostalMime().parse(raw)).to?.[0]?.address),
    )
    expect(readers).toHaveLength(30)
    expect(new Set(readers).size).toBe(30)
    expect(await waiting()).toEqual([])
  })

  test('are tried again, each time later, while no server takes them', async () => {
    const server = await startServer({ code: 451 })
    const wired = wire({ SMTP_HOST: '127.0.0.1', SMTP_PORT: server.port })
    await post(wired)
    for (const [attempts, seconds] of [
      [1, 15],
      [2, 30],
      [3, 60],
    ] as const) {
      await deliver(wired)
      const [row] = await waiting()
      expect(row?.attempts).toBe(attempts)
      expect(Math.abs((row?.seconds ?? 0) - seconds)).toBeLessThanOrEqual(2)
      await deliver(wired) // its time has not come
      expect((await waiting())[0]?.attempts).toBe(attempts)
      await dueNow()
    }
    expect([pauseAfter(9), pauseAfter(40)]).toEqual([3600, 3600])
    delete server.answers.code
    await deliver(wired)
    expect([await waiting(), server.received.length]).toEqual([[], 1])
    expect(lines.join('\n')).not.toMatch(/ada@|token/)
  })

  test('are all sent or put off before the round ends, also where one of them fails', async () => {
    const wired = wire({})
    await post(wired, 'unlucky@example.com')
    await post(wired, 'slow@example.com')
    const slow = Promise.withResolvers<void>()
    const sent: string[] = []
    const mailer: Mailer = {
      driver: 'smtp',
      async send({ to }) {
        if (to !== 'slow@example.com') throw new Error('no server')
        await slow.promise
        sent.push(to)
      },
      [Symbol.asyncDispose]: async () => undefined,
    }
    const postpone = () => Promise.reject(new Error('no database'))
    const store = { ...mailStore(database), postpone }
    const round = deliverMails({
      store,
      mailer,
      masterKeys,
      place: { origin: 'https://x.example' },
      log: log(),
    })()
    const outcome = round.then(
      () => 'done',
      () => `failed with ${sent.length} sent`,
    )
    setTimeout(slow.resolve, 100)
    expect(await outcome).toBe('failed with 1 sent')
  })

  test('are left to whoever took them last', async () => {
    await post(wire({}))
    const store = mailStore(database)
    const [slow] = await store.claim(0, 1)
    await store.claim(100, 1)
    if (slow === undefined) throw new Error('There must be a mail.')
    await store.postpone(slow, 15)
    expect((await waiting())[0]?.seconds).toBeGreaterThan(60)
  })

  test('are given up when they will never be taken, and the log names nobody', async () => {
    const { port, received } = await startServer({ code: 550 })
    const wired = wire({ SMTP_HOST: '127.0.0.1', SMTP_PORT: port })
    await post(wired)
    await deliver(wired)
    expect([await waiting(), received]).toEqual([[], []])
    expect(lines).toEqual([expect.stringContaining('a mail was given up')])
    expect(lines.join('\n')).not.toMatch(/ada@|token/)
  })

  test('stay while the key that sealed them is missing', async () => {
    const { port, received } = await startServer()
    const env = { SMTP_HOST: '127.0.0.1', SMTP_PORT: port }
    await post(wire(env))
    await deliver(wire(env, otherKeys))
    expect([(await waiting()).length, received.length]).toEqual([1, 0])
    await dueNow()
    await deliver(wire(env))
    expect([(await waiting()).length, received.length]).toEqual([0, 1])
  })

  test('are given up after a day', async () => {
    const wired = wire({})
    await post(wired)
    await deliver(wired, 'purge-mails')
    expect(await waiting()).toHaveLength(1)
    await database.many(sql`update gateway.mails set expires_at = now() - interval '1 second'`)
    await deliver(wired, 'purge-mails')
    expect(await waiting()).toEqual([])
    expect(lines.join('\n')).toContain('mails were given up')
  })
})

test('in production only a server sends: without one mails wait', async () => {
  const { part } = wire({ MAIL_DIRECTORY: '/tmp/never' })
  expect(part.jobs.map(({ name }) => name)).toEqual(['purge-mails'])
  expect(lines.join('\n')).toContain('SMTP_HOST is not set')
})
