import { setMfa, submitMfaCode } from '@platform/contracts'
import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { decodeJwt } from 'jose'
import { Secret, TOTP } from 'otpauth'
import { hashPassword } from '../src/credentials/passwords/password-hash.ts'
import type { UserRecord } from '../src/users/user.ts'
import { CHEAP_HASH } from './cheap-hash.ts'
import type { IdentityServer } from './identity-server.ts'
import {
  type Authorization,
  authorizationOf,
  Browser,
  redeemCode,
  returnedTo,
  type Visited,
} from './sign-in.ts'
import type { SignedIn } from './signed-in.ts'
import type { TestIdentity } from './start-identity.ts'

export const PASSWORD = 'correct horse battery'

const STEP_MS = 30_000

/** What an authenticator shows; `steps` of 30 s from now. A code of the future stays right while a test runs. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * STEP_MS })

/** Six digits that no authenticator of this secret shows around now. */
export function wrongCode(secret: string): string {
  const near = new Set([-3, -2, -1, 0, 1, 2, 3].map((steps) => codeOf(secret, steps)))
  return ['000000', '111111', '222222', '333333', '444444', '555555', '666666', '777777'].find(
    (code) => !near.has(code),
  ) as string
}

/** Somebody who is signed in to a gateway and has a password. */
export async function withPassword(gateway: TestIdentity, userId: string): Promise<SignedIn> {
  const person = await gateway.signIn({ userId })
  const hash = await hashPassword(PASSWORD, CHEAP_HASH)
  await gateway.database.many(
    sql`update gateway.users set password_hash = ${hash} where id = ${person.userId}`,
  )
  return person
}

/** The same with an authenticator; its code of now is used up, the next one works. */
export async function withAuthenticator(gateway: TestIdentity, userId: string) {
  const person = await withPassword(gateway, userId)
  const client = gateway.client(person.headers)
  const begun = await client(setMfa, { body: { method: 'totp', currentPassword: PASSWORD } })
  const secret = 'secret' in begun ? begun.secret : ''
  const { recoveryCodes = [] } = await client(submitMfaCode, { body: { totp: codeOf(secret) } })
  return { person, client, secret, recoveryCodes }
}

/** A person of an identity server, who signs in with PASSWORD. */
export async function addPerson({ database, users }: IdentityServer, email: string): Promise<UserRecord> {
  const id = uuidv7()
  const hash = await hashPassword(PASSWORD, CHEAP_HASH)
  await database.many(sql`
    insert into gateway.users (id, email, status, password_hash) values (${id}, ${email}, 'validated', ${hash})`)
  const user = await users.find(id)
  if (user === undefined) throw new Error('The person was not added.')
  return user
}

/** Gives a person an authenticator, whose code of now is used up, the next one works. */
export async function addAuthenticator({ secondFactors }: IdentityServer, user: UserRecord) {
  const { secret } = await secondFactors.begin(user)
  const done = await secondFactors.confirm(user, codeOf(secret), { ip: '127.0.0.1' })
  if (typeof done === 'string' || 'tooMany' in done) throw new Error('The code must be right.')
  return { user, secret, recoveryCodes: done.recoveryCodes }
}

/** Signs in to the console up to the page after the password. */
export async function afterPassword(
  server: IdentityServer,
  email: string,
  { changed = {}, browser = new Browser() }: { changed?: Record<string, string>; browser?: Browser } = {},
) {
  const authorization = authorizationOf(server, changed)
  const form = await browser.visit(authorization.url)
  const page = await browser.submit(form, { login: email, password: PASSWORD })
  return { authorization, browser, page }
}

/** How somebody who came back to the console proved who they are, as their id token says. */
export async function amrOf(
  server: IdentityServer,
  authorization: Authorization,
  back: Visited,
): Promise<unknown> {
  const { body } = await redeemCode(server, authorization, returnedTo(back).get('code') ?? '')
  return decodeJwt(String(body.id_token)).amr
}
