import { type Queries, sql } from '@platform/database'
import type { StartedSession } from './sessions.ts'

/**
 * Of new sessions, those whose basis is gone. What the others stand on stays as it is until the transaction ends:
 * whoever ends it meanwhile waits, and then finds the new session too. Accounts before sessions, as those who secure
 * an account lock them.
 */
export async function withoutBasis(
  tx: Queries,
  sessions: readonly StartedSession[],
): Promise<ReadonlySet<string>> {
  const securedAt = await lockAccounts(tx, sessions)
  const live = await lockParents(tx, sessions)
  const isGone = ({ basis, userId }: StartedSession): boolean => {
    if (basis === undefined) return false
    if ('sessionId' in basis) return !live.has(basis.sessionId)
    const from = securedAt.get(userId)
    return from === undefined || (from !== null && from > basis.provedAt)
  }
  return new Set(sessions.filter(isGone).map(({ sessionId }) => sessionId))
}

async function lockAccounts(
  tx: Queries,
  sessions: readonly StartedSession[],
): Promise<Map<string, Date | null>> {
  const ids = sessions.flatMap(({ basis, userId }) =>
    basis !== undefined && 'provedAt' in basis ? [userId] : [],
  )
  if (ids.length === 0) return new Map()
  const rows = await tx.many<{ id: string; from: Date | null }>(sql`
    select id, sign_ins_valid_from as "from" from gateway.users
    where id = any(${ids}::text[]) order by id for share`)
  return new Map(rows.map(({ id, from }) => [id, from]))
}

async function lockParents(tx: Queries, sessions: readonly StartedSession[]): Promise<Set<string>> {
  const ids = sessions.flatMap(({ basis }) =>
    basis !== undefined && 'sessionId' in basis ? [basis.sessionId] : [],
  )
  if (ids.length === 0) return new Set()
  const rows = await tx.many<{ id: string }>(sql`
    select id from gateway.sessions
    where id = any(${ids}::text[]) and ended_at is null order by id for share`)
  return new Set(rows.map(({ id }) => id))
}
