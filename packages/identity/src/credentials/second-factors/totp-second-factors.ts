import type { Audit } from '@platform/audit'
import type { Database, Queries } from '@platform/database'
import type { RateLimiter } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import { toDataURL } from 'qrcode'
import type { SignInLog } from '../../audit/sign-in-log.ts'
import type { SealedColumn } from '../../keys/master-keys/sealed-column-store.ts'
import type { Mails } from '../../mails/mails.ts'
import type { UserRecord } from '../../users/user.ts'
import { codeAttempts } from './code-attempts.ts'
import { enrolmentUri, newSecret, readOneTimeCode, stepOf } from './one-time-code.ts'
import { hashRecoveryCode, newRecoveryCodes, readRecoveryCode } from './recovery-code.ts'
import type { SecondFactors } from './second-factors.ts'
import type { SecondFactorSettings } from './second-factors-env.ts'
import { type TotpStore, totpStore } from './totp-store.ts'

export interface SecondFactorNeeds {
  database: Database
  clock: Clock
  audit: Audit
  signInLog: SignInLog
  rateLimiter: RateLimiter
  masterKeys: MasterKeyRing
  settings: SecondFactorSettings
  users: { find(id: string): Promise<UserRecord | undefined> }
  mails: Mails
}

interface Parts extends SecondFactorNeeds {
  store: TotpStore
}

const sealContextOf = (userId: string): string => `gateway.totp|${userId}|secret`

/** Where secrets of second factors are kept, for the job that seals them again with a new master key. */
export const sealedTotpSecrets: readonly SealedColumn[] = ['secret', 'pending_secret'].map((column) => ({
  table: 'gateway.totp',
  key: 'user_id',
  column,
  place: sealContextOf,
}))

/** One-time codes by an authenticator, and recovery codes for when it is lost. */
export function totpSecondFactors(needs: SecondFactorNeeds): SecondFactors {
  const store = totpStore(needs.database)
  const parts = { ...needs, store }
  const attempts = codeAttempts({ ...needs, lockedForToday: lockedForToday(needs) })
  const hasFactor = async (userId: string) => (await store.listWithFactor([userId])).has(userId)

  return {
    async needOf(user) {
      if (await hasFactor(user.id)) return 'code'
      return needs.settings.forced ? 'enrol' : 'none'
    },
    check: (user, code, context) => attempts(user, context, () => useCode(parts, user, code, context)),
    confirm: (user, code, context) => attempts(user, context, () => confirm(parts, user, code, context)),
    async begin(user) {
      const secret = newSecret()
      await store.keepPending(user.id, needs.masterKeys.seal(secret, sealContextOf(user.id)))
      return present(secret, user, needs.settings)
    },
    isPending: async (userId) => (await store.find(userId))?.pendingSecret !== undefined,
    async pending(userId) {
      const [record, user] = await Promise.all([store.find(userId), needs.users.find(userId)])
      if (record?.pendingSecret === undefined || user === undefined) return undefined
      return present(needs.masterKeys.open(record.pendingSecret, sealContextOf(userId)), user, needs.settings)
    },
    renewRecoveryCodes: (user) => renewRecoveryCodes(parts, user),
    remove: (userId, actor) => remove(parts, userId, actor),
    methodOf: async (userId) => ((await hasFactor(userId)) ? 'totp' : 'none'),
    listWithFactor: store.listWithFactor,
  }
}

async function present(secret: string, user: UserRecord, { issuer }: SecondFactorSettings) {
  const uri = enrolmentUri(secret, { issuer, label: user.email ?? user.id })
  return { secret, uri, qrImage: await toDataURL(uri, { margin: 2, scale: 4 }) }
}

type AttemptContext = Parameters<SecondFactors['check']>[2]

async function useCode(parts: Parts, user: UserRecord, typed: string, context: AttemptContext) {
  const code = readOneTimeCode(typed)
  if (code !== undefined) return useOneTimeCode(parts, user, code)
  const recovery = readRecoveryCode(typed)
  return recovery === undefined ? undefined : useRecoveryCode(parts, user, recovery, context)
}

async function useOneTimeCode({ store, masterKeys, clock }: Parts, { id }: UserRecord, code: string) {
  const sealed = (await store.find(id))?.secret
  if (sealed === undefined) return undefined
  const step = stepOf(code, masterKeys.open(sealed, sealContextOf(id)), clock.now())
  return step !== undefined && (await store.useStep(id, sealed, step)) ? 'right' : undefined
}

const useRecoveryCode = (
  { database, store, audit }: Parts,
  { id }: UserRecord,
  code: string,
  { ip, correlationId }: AttemptContext,
) =>
  database.transaction(async (tx) => {
    if (!(await store.useRecoveryCode(tx, id, hashRecoveryCode(id, code)))) return undefined
    const who = { actor: `user:${id}`, subject: `user:${id}`, ip, correlationId }
    await audit.record(tx, { action: 'mfa.recoveryCodeUsed', ...who })
    return 'right' as const
  })

async function confirm(parts: Parts, user: UserRecord, typed: string, { ip, correlationId }: AttemptContext) {
  const { store, masterKeys, clock, database, mails, audit } = parts
  const sealed = (await store.find(user.id))?.pendingSecret
  const code = readOneTimeCode(typed)
  if (sealed === undefined || code === undefined) return undefined
  const step = stepOf(code, masterKeys.open(sealed, sealContextOf(user.id)), clock.now())
  if (step === undefined) return undefined

  const recoveryCodes = newRecoveryCodes()
  const confirmed = await database.transaction(async (tx) => {
    if (!(await store.confirm(tx, user.id, sealed, step))) return false
    await store.replaceRecoveryCodes(tx, user.id, hashesOf(user, recoveryCodes))
    await tellByMail(parts, tx, user, 'totp')
    const who = { actor: `user:${user.id}`, subject: `user:${user.id}`, ip, correlationId }
    await audit.record(tx, { action: 'mfa.enabled', ...who, details: { method: 'totp' } })
    return true
  })
  mails.deliverSoon()
  return confirmed ? { recoveryCodes } : undefined
}

async function renewRecoveryCodes({ database, store, audit }: Parts, user: UserRecord) {
  const recoveryCodes = newRecoveryCodes()
  const who = { actor: `user:${user.id}`, subject: `user:${user.id}` }
  return database.transaction(async (tx) => {
    if (!(await store.replaceRecoveryCodes(tx, user.id, hashesOf(user, recoveryCodes)))) return undefined
    await audit.record(tx, { action: 'mfa.recoveryCodesRenewed', ...who })
    return recoveryCodes
  })
}

async function remove(parts: Parts, userId: string, actor: string): Promise<void> {
  const user = await parts.users.find(userId)
  await parts.database.transaction(async (tx) => {
    if (!(await parts.store.remove(tx, userId))) return
    if (user !== undefined) await tellByMail(parts, tx, user, 'none')
    await parts.audit.record(tx, { action: 'mfa.disabled', actor, subject: `user:${userId}` })
  })
  parts.mails.deliverSoon()
}

/** Whoever tried so many codes knows the password: the owner and the operator should hear of it. */
const lockedForToday =
  ({ database, audit }: SecondFactorNeeds) =>
  (user: UserRecord, { ip, correlationId }: AttemptContext): Promise<void> =>
    database.transaction(async (tx) => {
      const who = { actor: `user:${user.id}`, subject: `user:${user.id}`, ip, correlationId }
      await audit.record(tx, { action: 'mfa.codesRefusedForToday', ...who })
    })

const hashesOf = ({ id }: UserRecord, codes: readonly string[]): string[] =>
  codes.map((code) => hashRecoveryCode(id, code))

async function tellByMail(
  { mails }: Parts,
  tx: Queries,
  user: UserRecord,
  method: 'totp' | 'none',
): Promise<void> {
  if (user.email === undefined) return
  const { email: to, language } = user
  await mails.post(tx, { to, language, template: 'secondFactorChanged', values: { method } })
}
