import { type BodyOf, createUser as endpoint, gatewaySignupSucceeded, shownIp } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { type AccountParts, sourceOf, traceOf } from '../accounts/account-parts.ts'
import { type RequestContext, requestContextOf } from '../accounts/accounts.ts'
import { generatedPassword } from '../credentials/passwords/passwords.ts'
import { presentUser, requirePlainAddress } from '../users/user.ts'
import { administratorOf } from './edit-users.ts'

/** Where nobody signs up by themselves, this is how people get in. */
export const createUser = (parts: AccountParts) =>
  route(endpoint, {
    async handle({ body, principal, request }) {
      const actor = administratorOf(principal)
      requirePlainAddress(body.email)
      const password = generatedPassword()
      const passwordHash = await parts.passwords.hash(password)
      const user = await insert(parts, { ...body, passwordHash }, actor, requestContextOf(request))

      return { user: presentUser(user), password }
    },
  })

type Input = BodyOf<typeof endpoint> & { passwordHash: string }

const insert = (parts: AccountParts, input: Input, actor: string, context: RequestContext) =>
  parts.database.transaction(async (tx) => {
    const language = input.language ?? context.language
    const user = await parts.users.changes(tx).insert({ ...input, language, status: 'validated' })
    if (user === undefined)
      throw new Failure('AlreadyUsed', 'Another account has this e-mail address: choose another one.')
    const payload = { ip: shownIp(context.ip), user: presentUser(user) }
    await parts.outbox.add(tx, gatewaySignupSucceeded, payload, sourceOf(context, user.id))
    await parts.audit.record(tx, { action: 'account.created', ...traceOf(context, actor, user.id) })
    return user
  })
