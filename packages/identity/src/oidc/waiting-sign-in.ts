import { MINUTE_MS, SECOND_MS } from '@platform/kernel'
import type { Interaction, InteractionResults } from 'oidc-provider'
import type { UserRecord } from '../users/user.ts'

/**
 * A sign-in whose password was right and whose second factor is still to come. It is kept with the interaction, at
 * the server, under a name the OIDC server gives no meaning to: resuming the authorization with it signs nobody in.
 */
export interface WaitingSignIn {
  accountId: string
  /** The account as it was then, by its `updatedAt`: a password that was replaced meanwhile counts no more. */
  account: string
  remember: boolean
  /** Unix seconds from which the password counted as proven; see `provedAt`. */
  ts: number
  /** Unix milliseconds when the password was right. */
  since: number
  /** Sealed, once an enrolment was confirmed: the factor is proven, its recovery codes are to be read. */
  recoveryCodes?: string
}

/** After that the password is asked for again. */
const LONGEST_WAIT_MS = 10 * MINUTE_MS

/** The sign-in that waits in an interaction; undefined when no password was right yet. */
export function waitingIn(
  { result }: Pick<Interaction, 'result'>,
  now: Date,
): WaitingSignIn | 'stale' | undefined {
  const waiting = result?.waiting as WaitingSignIn | undefined
  if (waiting === undefined) return undefined
  return now.getTime() - waiting.since > LONGEST_WAIT_MS ? 'stale' : waiting
}

/** What the interaction keeps of it. */
export const toWait = (waiting: WaitingSignIn): InteractionResults => ({ waiting })

/** Nothing of an earlier step stays in what an interaction keeps or ends with. */
export const replacing = { mergeWithLastSubmission: false }

/** How somebody proved who they are (RFC 8176). */
export const AMR = { password: ['pwd'], passwordAndCode: ['pwd', 'otp', 'mfa'] } as const

/** The login that lets an authorization go on, as long as the account stays as it was when its password was right. */
export const toFinish = (
  { accountId, account, remember, ts }: Pick<WaitingSignIn, 'accountId' | 'account' | 'remember' | 'ts'>,
  amr: readonly string[],
): InteractionResults => ({ login: { accountId, account, remember, ts, amr: [...amr] } })

/** Where in the database the sealed recovery codes of an interaction are. */
export const recoveryCodesContext = (uid: string): string => `gateway.oidc_records|${uid}|recoveryCodes`

/**
 * The instant a login counts from, in Unix seconds: when its check began, and never before what the account it was
 * checked against asks for. So who used a password that was replaced meanwhile is too early, and who used the new one
 * is not.
 */
export const provedAt = (user: Pick<UserRecord, 'signInsValidFrom'>, beganAtMs: number): number =>
  Math.max(Math.floor(beganAtMs / SECOND_MS), Math.ceil((user.signInsValidFrom?.getTime() ?? 0) / SECOND_MS))
