import type { LimitState } from '@platform/http'
import type { UserRecord } from '../../users/user.ts'

/** What a right password is not enough for. `enrol`: MFA_FORCE_LOCAL is on and there is no authenticator yet. */
export type SecondFactorNeed = 'none' | 'code' | 'enrol'

/** What came of a code. */
export type CodeCheck = 'right' | 'wrong' | { tooMany: LimitState }

/** One-time codes after the password. A code works once, within 30 s either side of its time. */
export interface SecondFactors {
  needOf(user: UserRecord): Promise<SecondFactorNeed>
  /**
   * Checks a code of the authenticator, or a recovery code, which is used up. Counts attempts by account; failures
   * are logged.
   */
  check(user: UserRecord, code: string, context: { ip: string; correlationId?: string }): Promise<CodeCheck>
  /** Begins an enrolment; it counts from its first right code on. Replaces one that was begun and not confirmed. */
  begin(user: UserRecord): Promise<{ secret: string; qrImage: string; uri: string }>
  /** True while an enrolment waits for its first code. */
  isPending(userId: string): Promise<boolean>
  /** The enrolment that waits for its first code, to show it again. */
  pending(userId: string): Promise<{ secret: string; qrImage: string; uri: string } | undefined>
  /** Confirms it; answers recovery codes, shown once. */
  confirm(
    user: UserRecord,
    code: string,
    context: { ip: string; correlationId?: string },
  ): Promise<{ recoveryCodes: string[] } | Exclude<CodeCheck, 'right'>>
  /** Ten new recovery codes instead of all old ones; undefined without a second factor. */
  renewRecoveryCodes(user: UserRecord): Promise<string[] | undefined>
  /** Takes the second factor of an account away; `actor` as the audit trail names who did it. */
  remove(userId: string, actor: string): Promise<void>
  /** What profiles show. */
  methodOf(userId: string): Promise<'totp' | 'none'>
  /** Of many users at once, those with a second factor. */
  listWithFactor(userIds: readonly string[]): Promise<Set<string>>
}
