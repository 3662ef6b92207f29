import type { Queries, QueryOptions, TransactionOptions } from './database.ts'
import { breaksConnection, DatabaseError, toDatabaseError } from './database-error.ts'
import type { LentConnection } from './pool.ts'
import type { PostgresSettings } from './postgres-settings.ts'
import { raiseLimits, runStatement, runText } from './statement.ts'
import type { Guarded, TransactionGuard } from './transaction-guard.ts'

/** A rollback is quick; where the server can't do it in time, the connection is cut instead. */
const ROLLBACK_MS = 500
/** A commit that is given up may have happened or not: it gets this much, however long the request has waited. */
const COMMIT_MS = 250
const IN_FAILED_TRANSACTION = '25P02'

type Statements = Pick<Queries, 'many'>

/** Runs `work` between BEGIN and COMMIT on a lent connection; after a failure it is rolled back or cut. */
export async function runTransaction<T>(
  lent: LentConnection,
  settings: PostgresSettings,
  work: (tx: Statements) => Promise<T>,
  options: TransactionOptions,
  guard?: TransactionGuard,
): Promise<T> {
  const timeoutMs = options.timeoutMs ?? settings.statementTimeoutMs
  let first: DatabaseError | undefined
  const fail = (error: unknown): never => {
    lent.broken ||= breaksConnection(error)
    const failure = toDatabaseError(error, settings)
    first ??= failure
    // Of statements that were sent together the ones behind a failed one only say that one did.
    throw failure.code === IN_FAILED_TRANSACTION ? first : failure
  }
  const begin = options.readOnly === true ? 'begin read only' : 'begin'
  const text =
    timeoutMs > settings.statementTimeoutMs ? `${begin}; ${raiseLimits(timeoutMs, 'local ')}` : begin
  // Not awaited: it travels with the first statement.
  const begun = runText(lent.client, text, lent.within(Math.min(timeoutMs, lent.timeLeftMs))).catch(fail)
  begun.catch(() => undefined)
  const state: Guarded = { over: false }
  try {
    const tx = transactionQueries(lent, state, timeoutMs, fail)
    const result = await (guard === undefined || options.readOnly === true
      ? work(tx)
      : guard.run(state, () => work(tx)))
    state.over = true
    if (state.fault !== undefined) throw state.fault
    await begun
    const end = await runText(lent.client, 'commit', Math.max(COMMIT_MS, lent.within(timeoutMs))).catch(fail)
    if (end.command === 'COMMIT') return result
  } catch (error) {
    state.over = true
    if (!lent.broken) await rollback(lent)
    throw error
  }
  throw new DatabaseError('The transaction was undone, because a statement in it had failed.', {
    unavailable: false,
  })
}

function transactionQueries(
  lent: LentConnection,
  state: { over: boolean },
  limitMs: number,
  fail: (error: unknown) => never,
): Statements {
  return {
    async many<Row>(statement: Parameters<Queries['many']>[0], { timeoutMs = limitMs }: QueryOptions = {}) {
      if (state.over) throw new DatabaseError('A transaction was used after its end.', { unavailable: false })
      const raised =
        timeoutMs > limitMs ? runText(lent.client, raiseLimits(timeoutMs, 'local '), timeoutMs) : undefined
      const rows = runStatement<Row>(lent.client, statement, lent.within(timeoutMs))
      const [result] = await Promise.all([rows, raised]).catch(fail)
      return result
    },
  }
}

async function rollback(lent: LentConnection): Promise<void> {
  try {
    await runText(lent.client, 'rollback', ROLLBACK_MS)
  } catch {
    lent.broken = true
  }
}
