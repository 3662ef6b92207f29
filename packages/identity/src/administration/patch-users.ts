import { type BodyOf, patchUsers as endpoint, gatewayUsersBulkUpdated } from '@platform/contracts'
import { route } from '@platform/http'
import { sourceOf } from '../accounts/account-parts.ts'
import { requestContextOf } from '../accounts/accounts.ts'
import { administratorOf, type Editor, type EditParts, editUsers } from './edit-users.ts'

type Body = BodyOf<typeof endpoint>

export const patchUsers = (parts: EditParts) =>
  route(endpoint, {
    async handle({ body, principal, request }) {
      const actor = administratorOf(principal)
      const editor = { actor, context: requestContextOf(request) }
      const { after, ids, result } = await patch(parts, body, editor)

      await parts.broadcast(ids)
      if (body.data.mfa === 'none') for (const { id } of after) await parts.secondFactors.remove(id, actor)

      return result
    },
  })

const patch = (parts: EditParts, { query, data }: Body, editor: Editor) =>
  parts.database.transaction(async (tx) => {
    const { before, after, ids, audit } = await editUsers(parts, tx, query, data, editor)
    const wanted = 'ids' in query ? query.ids : query.emails
    const result = {
      requestedCount: new Set(wanted).size,
      matchedCount: before.length,
      modifiedCount: after.length,
    }
    if (after.length > 0)
      await parts.outbox.add(tx, gatewayUsersBulkUpdated, { query, data, result }, sourceOf(editor.context))
    if (audit.length > 0) await parts.audit.record(tx, ...audit)
    return { after, ids, result }
  })
