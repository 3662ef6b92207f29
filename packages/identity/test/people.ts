import type { BodyInputOf } from '@platform/contracts'
import { findContacts, getMe, patchUser } from '@platform/contracts'
import { sql } from '@platform/database'
import type { SignedIn } from './signed-in.ts'
import type { TestIdentity } from './start-identity.ts'

/** A super administrator and somebody without any right, on one gateway. */
export async function startPeople(gateway: TestIdentity) {
  return { root: await gateway.signIn({ superAdmin: true }), ada: await gateway.signIn() }
}

export const patch = (
  gateway: TestIdentity,
  who: { headers: Record<string, string> },
  userId: string,
  body: BodyInputOf<typeof patchUser>,
) => gateway.client(who.headers)(patchUser, { params: { userId }, body })

export const find = (
  gateway: TestIdentity,
  who: { headers: Record<string, string> },
  body: BodyInputOf<typeof findContacts>,
) => gateway.client(who.headers)(findContacts, { body })

export const me = (gateway: TestIdentity, who: SignedIn) => gateway.client(who.headers)(getMe)

/** What the audit trail says of an account, oldest first. */
export const trailOf = async (gateway: TestIdentity, userId: string) => {
  const rows = await gateway.database.many<{ action: string }>(
    sql`select action from audit.entries where subject = ${`user:${userId}`} order by sequence`,
  )
  return rows.map(({ action }) => action)
}

export const emailOf = ({ userId }: SignedIn) => `${userId}@example.com`
