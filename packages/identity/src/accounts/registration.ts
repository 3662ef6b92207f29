import { gatewaySignupSucceeded, shownIp } from '@platform/contracts'
import type { Queries } from '@platform/database'
import { Failure, uuidv7 } from '@platform/kernel'
import { requireGoodPassword } from '../credentials/passwords/password-rules.ts'
import { normalizeEmail, presentUser, requirePlainAddress, type UserRecord } from '../users/user.ts'
import type { UserEdit } from '../users/user-changes-store.ts'
import {
  type AccountParts,
  newLink,
  redeemToken,
  sourceOf,
  traceOf,
  withMinimumDuration,
} from './account-parts.ts'
import type { Accounts, RequestContext, SignUpInput } from './accounts.ts'

type Registration = Pick<Accounts, 'signUp' | 'requestValidation' | 'validate'>

/** Making an account and proving that its address is one's own. */
export const registration = (parts: AccountParts): Registration => ({
  async signUp(input, context) {
    requireSignUp(parts)
    requirePlainAddress(input.email)
    requireGoodPassword(input.password, input)
    // Hashed before anybody looks whether the address is known, so that both take as long.
    const passwordHash = await parts.passwords.hash(input.password)
    const user = await parts.database.transaction(async (tx) => {
      const made = await insert(parts, tx, input, passwordHash, context)
      return made ?? (await known(parts, tx, input, context))
    })
    parts.mails.deliverSoon()
    return { user, next: NEXT[parts.settings.validation] }
  },

  requestValidation: (email, context) =>
    withMinimumDuration(async () => {
      const found = await parts.users.findByEmail(email)
      if (found === undefined || !awaitsMail(found.user)) return
      await parts.database.transaction((tx) => mailValidation(parts, tx, found.user, context))
      parts.mails.deliverSoon()
    }),

  async validate(token, context) {
    const { ids, ...validated } = await parts.database.transaction((tx) =>
      validate(parts, tx, token, context),
    )
    await parts.broadcast(ids)
    return validated
  },
})

const NEXT = { auto: 'usable', email: 'mailed', manual: 'manual' } as const

function requireSignUp({ settings }: AccountParts): void {
  if (settings.localSignUp) return
  throw new Failure('ForbiddenError', 'Accounts can’t be made here: ask an administrator of this platform.')
}

/** A new account with its event; undefined when the address has one. */
async function insert(
  parts: AccountParts,
  tx: Queries,
  input: SignUpInput,
  passwordHash: string,
  context: RequestContext,
): Promise<UserRecord | undefined> {
  const { validation } = parts.settings
  const { password: _, ...person } = input
  const user = await parts.users.changes(tx).insert({
    ...person,
    language: input.language ?? context.language,
    passwordHash,
    status: validation === 'auto' ? 'validated' : 'pending',
  })
  if (user === undefined) return undefined
  if (validation === 'email') await mailValidation(parts, tx, user, context)
  const payload = { ip: shownIp(context.ip), user: presentUser(user) }
  await parts.outbox.add(tx, gatewaySignupSucceeded, payload, sourceOf(context, user.id))
  await parts.audit.record(tx, { action: 'account.created', ...traceOf(context, `user:${user.id}`, user.id) })
  return user
}

/**
 * Where mail decides, nobody learns from an answer who has an account: its owner is written to instead.
 */
async function known(
  parts: AccountParts,
  tx: Queries,
  input: SignUpInput,
  context: RequestContext,
): Promise<UserRecord> {
  if (parts.settings.validation !== 'email')
    throw new Failure(
      'AlreadyUsed',
      'This e-mail address has an account: sign in, or set a new password for it.',
    )
  const found = await parts.users.changes(tx).findByEmail(input.email)
  if (found !== undefined && found.user.status !== 'deactivated') {
    const { user, passwordHash } = found
    const values: Record<string, string> = { signInUrl: `${parts.origin}/signin` }
    // Who signs in elsewhere has no password to forget.
    if (passwordHash !== undefined)
      values.resetUrl = await newLink(parts, tx, 'reset', mailedTo(user, context))
    const language = user.language ?? input.language ?? context.language
    await parts.mails.post(tx, { to: addressOf(user), language, template: 'alreadyRegistered', values })
  }
  return madeUp(input, context, parts.clock.now())
}

/** What a new account would look like. */
const madeUp = (input: SignUpInput, context: RequestContext, now: Date): UserRecord => ({
  id: uuidv7(),
  email: normalizeEmail(input.email),
  firstName: input.firstName,
  lastName: input.lastName,
  language: input.language ?? context.language,
  status: 'pending',
  authData: { prismeai: {} },
  platformRole: undefined,
  photo: undefined,
  meta: {},
  emailValidatedAt: undefined,
  signInsValidFrom: undefined,
  createdAt: now,
  updatedAt: now,
})

const awaitsMail = (user: UserRecord): boolean =>
  user.status === 'pending' || (user.status === 'validated' && user.emailValidatedAt === undefined)

async function mailValidation(
  parts: AccountParts,
  tx: Queries,
  user: UserRecord,
  context: RequestContext,
): Promise<void> {
  const url = await newLink(parts, tx, 'validate', mailedTo(user, context))
  const language = user.language ?? context.language
  await parts.mails.post(tx, { to: addressOf(user), language, template: 'validateAccount', values: { url } })
}

async function validate(parts: AccountParts, tx: Queries, token: string, context: RequestContext) {
  const { user: before, interaction } = await redeemToken(parts, tx, 'validate', token)
  const edited = await parts.users.changes(tx).edit([before.id], answeredMail(parts, before))
  const user = edited === 'taken' ? before : (edited[0] ?? before)
  // A listed super administrator is one from here on.
  const ids = await parts.accessIn(tx).forgetUsers([user.id])
  const trace = traceOf(context, `user:${user.id}`, user.id)
  const becameAdministrator = before.platformRole !== user.platformRole
  await parts.audit.record(
    tx,
    { action: 'account.validated', ...trace, details: { by: 'mail' } },
    ...(becameAdministrator
      ? [{ action: 'account.roleChanged' as const, ...trace, details: { role: user.platformRole ?? null } }]
      : []),
  )
  return { user, interaction, ids }
}

/** What an answered mail changes: an administrator's decision is not replaced by it. */
export const answeredMail = ({ settings }: AccountParts, user: UserRecord): UserEdit => ({
  emailAnswered: true,
  ...(user.status === 'pending' && settings.validation !== 'manual' ? { status: 'validated' as const } : {}),
})

export const addressOf = ({ id, email }: UserRecord): string => {
  if (email === undefined) throw new Error(`The account ${id} has no address to write to.`)
  return email
}

export const mailedTo = (user: UserRecord, { interaction }: Pick<RequestContext, 'interaction'>) => ({
  userId: user.id,
  email: addressOf(user),
  interaction,
})
