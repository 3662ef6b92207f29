import { createHash } from 'node:crypto'
import { type Database, sql } from '@platform/database'
import { type Clock, MINUTE_MS } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import { inBatches, type Job } from '@platform/service'

export type PendingSignInStore = ReturnType<typeof pendingSignInStore>

/** Somebody who has left for a provider. */
export interface PendingSignIn {
  provider: string
  interactionUid: string
  nonce: string
  verifier: string
}

/** Somebody who has come back. */
export interface FinishedSignIn {
  provider: string
  interactionUid: string
  userId: string
}

interface Row {
  provider: string
  interactionUid: string
  secrets: string
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url')
const sealContextOf = (stateHash: string) => `gateway.external_logins|${stateHash}|secrets`

/**
 * Sign-ins on their way. Only hashes of what proves them are kept, so that nobody who reads the tables can finish
 * one.
 */
export const pendingSignInStore = (database: Database, masterKeys: MasterKeyRing) => ({
  async insert(proof: { state: string; browser: string }, login: PendingSignIn, expiresAt: Date) {
    const stateHash = hash(proof.state)
    const { provider, interactionUid, ...secrets } = login
    await database.many(sql`
      insert into gateway.external_logins (state_hash, browser_hash, provider, interaction_uid, secrets, expires_at)
      values (${stateHash}, ${hash(proof.browser)}, ${provider}, ${interactionUid},
        ${masterKeys.seal(JSON.stringify(secrets), sealContextOf(stateHash))}, ${expiresAt})`)
  },

  /** Once, and only to the browser that left. */
  async take(proof: { state: string; browser: string }, now: Date): Promise<PendingSignIn | undefined> {
    const stateHash = hash(proof.state)
    const [row] = await database.many<Row>(sql`
      delete from gateway.external_logins
      where state_hash = ${stateHash} and browser_hash = ${hash(proof.browser)} and expires_at > ${now}
      returning provider, interaction_uid as "interactionUid", secrets`)
    if (row === undefined) return undefined
    const { secrets, ...login } = row
    const opened = JSON.parse(masterKeys.open(secrets, sealContextOf(stateHash))) as {
      nonce: string
      verifier: string
    }
    return { ...login, ...opened }
  },

  async insertTicket(ticket: string, login: FinishedSignIn, expiresAt: Date): Promise<void> {
    await database.many(sql`
      insert into gateway.external_login_tickets (ticket_hash, interaction_uid, provider, user_id, expires_at)
      values (${hash(ticket)}, ${login.interactionUid}, ${login.provider}, ${login.userId}, ${expiresAt})`)
  },

  /** Once, and only for the authorization it was made for. */
  async takeTicket(ticket: string, interactionUid: string, now: Date): Promise<FinishedSignIn | undefined> {
    const [row] = await database.many<FinishedSignIn>(sql`
      delete from gateway.external_login_tickets
      where ticket_hash = ${hash(ticket)} and interaction_uid = ${interactionUid} and expires_at > ${now}
      returning provider, interaction_uid as "interactionUid", user_id as "userId"`)
    return row
  },

  /** Removes at most `limit` of each that were never finished; answers how many at most. */
  async sweep(before: Date, limit: number): Promise<number> {
    const logins = await database.many(sql`
      delete from gateway.external_logins where state_hash in (
        select state_hash from gateway.external_logins where expires_at <= ${before} order by expires_at limit ${limit})
      returning 1`)
    const tickets = await database.many(sql`
      delete from gateway.external_login_tickets where ticket_hash in (
        select ticket_hash from gateway.external_login_tickets where expires_at <= ${before}
        order by expires_at limit ${limit})
      returning 1`)
    return Math.max(logins.length, tickets.length)
  },
})

const BATCH = 2000

/** Removes sign-ins at providers that nobody finished. Any instance may run it. */
export const sweepPendingSignIns = (deps: {
  logins: Pick<PendingSignInStore, 'sweep'>
  clock: Clock
}): Job => ({
  name: 'sweep-external-logins',
  everyMs: 5 * MINUTE_MS,
  run: (signal) => inBatches(BATCH, signal, (limit) => deps.logins.sweep(deps.clock.now(), limit)),
})
