import { type BodyOf, patchUser as endpoint, gatewayUsersUpdated } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { sourceOf } from '../accounts/account-parts.ts'
import { requestContextOf } from '../accounts/accounts.ts'
import { presentUser } from '../users/user.ts'
import { stateOf, userEtag } from '../users/user-etag.ts'
import { administratorOf, type Editor, type EditParts, editUsers } from './edit-users.ts'
import { userNotFound } from './get-user.ts'

export const patchUser = (parts: EditParts) =>
  route(endpoint, {
    async handle({ params, body, principal, request }) {
      const context = requestContextOf(request)
      const actor = administratorOf(principal)
      const editor = { actor, context, requireState: stateOf(request.headers) }
      const edited = await patch(parts, params.userId, body, editor)

      await parts.broadcast(edited.ids)
      if (body.mfa === 'none') await parts.secondFactors.remove(params.userId, actor)

      const user = presentUser(edited.user)
      return respond(user, { headers: { etag: userEtag(user) } })
    },
  })

const patch = (parts: EditParts, userId: string, body: BodyOf<typeof endpoint>, editor: Editor) =>
  parts.database.transaction(async (tx) => {
    const { after, ids, audit } = await editUsers(parts, tx, { ids: [userId] }, body, editor)
    const [user] = after
    if (user === undefined) throw userNotFound()
    const payload = { user: presentUser(user) }
    await parts.outbox.add(tx, gatewayUsersUpdated, payload, sourceOf(editor.context, userId))
    if (audit.length > 0) await parts.audit.record(tx, ...audit)
    return { user, ids }
  })
