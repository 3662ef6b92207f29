import type { BodyInputOf } from '@platform/contracts'
import { findContacts, getMe, patchUser } from '@platform/contracts'
import { sql } from '@platform/database'
import type { SignedIn, TestGateway } from '../testing.ts'

/** A super administrator and somebody without any right, on one gateway. */
export async function startPeople(gateway: TestGateway) {
  return { root: await gateway.signIn({ superAdmin: true }), ada: await gateway.signIn() }
}

export const patch = (
  gateway: TestGateway,
  who: { headers: Record<string, string> },
  userId: string,
  body: BodyInputOf<typeof patchUser>,
) => gateway.client(who.headers)(patchUser, { params: { userId }, body })

export const find = (
  gateway: TestGateway,
  who: { headers: Record<string, string> },
  body: BodyInputOf<typeof findContacts>,
) => gateway.client(who.headers)(findContacts, { body })

export const me = (gateway: TestGateway, who: SignedIn) => gateway.client(who.headers)(getMe)

/** What the audit trail says of an account, oldest first. */
export const trailOf = async (gateway: TestGateway, userId: string) => {
  const rows = await gateway.database.many<{ action: string }>(
    sql`select action from audit.entries where subject = ${`user:${userId}`} order by sequence`,
  )
  return rows.map(({ action }) => action)
}

export const emailOf = ({ userId }: SignedIn) => `${userId}@example.com`
