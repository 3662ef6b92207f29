import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventRecord, signUp, validateAccount } from '@platform/contracts'
import { sql } from '@platform/database'
import PostalMime from 'postal-mime'
import { expect, vi } from 'vitest'
import { passwords } from '../src/credentials/passwords/passwords.ts'
import { userStore } from '../src/users/user-store.ts'
import { CHEAP_HASH } from './cheap-hash.ts'
import { startIdentity, type TestIdentity } from './start-identity.ts'

export const PASSWORD = 'correct horse battery'

/** A mail as its reader sees it. */
export interface ReadMail {
  to: string
  subject: string
  text: string
  html: string
  /** The secret of its link. */
  token: string
  url: string
}

/** A gateway whose mails become files, and somebody who reads them. */
export async function startWithMail(env: Record<string, string> = {}, hashCost = CHEAP_HASH) {
  const directory = await mkdtemp(join(tmpdir(), 'mails-'))
  const gateway = await startIdentity({
    hashCost,
    env: { MAIL_DIRECTORY: directory, ACCOUNT_VALIDATION_METHOD: 'email', ...env },
  })
  return {
    gateway,
    directory,
    mailTo: (address: string, count = 1) => mailTo(directory, address, count),
    mails: () => readMails(directory),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type WithMail = Awaited<ReturnType<typeof startWithMail>>

async function readMails(directory: string): Promise<ReadMail[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.eml')).sort()
  return Promise.all(
    files.map(async (file) => {
      const mail = await new PostalMime().parse(await readFile(join(directory, file)))
      const url = /https?:\/\/\S+/.exec(mail.text ?? '')?.[0] ?? ''
      return {
        to: mail.to?.[0]?.address ?? '',
        subject: mail.subject ?? '',
        text: mail.text ?? '',
        html: mail.html ?? '',
        url,
        token: new URL(url).searchParams.get('token') ?? '',
      }
    }),
  )
}

/** The last of `count` mails to an address, once all are there. */
async function mailTo(directory: string, address: string, count: number): Promise<ReadMail> {
  return vi.waitFor(
    async () => {
      const found = (await readMails(directory)).filter(({ to }) => to === address)
      expect(found.length).toBe(count)
      return found.at(-1) as ReadMail
    },
    { timeout: 5000, interval: 50 },
  )
}

let people = 0

/** Somebody new; the address is nobody else's. */
export const somebody = (changed: Partial<Record<'email' | 'password' | 'language', string>> = {}) => {
  people += 1
  return {
    email: `person-${process.pid}-${people}@example.com`,
    password: PASSWORD,
    firstName: 'Ada',
    lastName: 'Lovelace',
    ...changed,
  }
}

/** Somebody with an account that can be used, by its address and PASSWORD, who has signed in. */
export async function withAccount({ gateway, mailTo }: Pick<WithMail, 'gateway' | 'mailTo'>) {
  const person = somebody()
  const { id } = await gateway.client()(signUp, { body: person })
  const { token } = await mailTo(person.email)
  await gateway.client()(validateAccount, { body: { token } })
  return { ...person, ...(await gateway.signIn({ userId: id })) }
}

/** What checking a password answers, as the sign-in form asks. */
export async function passwordOutcome(gateway: TestIdentity, email: string, password: string) {
  const { outcome } = await passwords(userStore(gateway.database), CHEAP_HASH).check(email, password)
  return outcome
}

/** Events of a type that tell of this account. */
export const eventsOf = async (gateway: TestIdentity, type: string, about: string) => {
  const rows = await gateway.database.many<{ record: EventRecord }>(sql`
    select record from outbox.events where type = ${type} and record::text like ${`%${about}%`}`)
  return rows.map(({ record }) => record)
}
