import type { Audit } from '@platform/audit'
import { actorOf, type UserPrincipal } from '@platform/auth'
import {
  deleteSecret as deleteContract,
  getSecrets as getContract,
  isSystemSecret,
  patchSecrets as patchContract,
  putSecrets as putContract,
  type SecretChange,
  shownIp,
  type WorkspaceSecrets,
  workspaceEvents,
} from '@platform/contracts'
import type { Queries } from '@platform/database'
import { etagOf, type RequestInfo, requireMatch, respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Outbox } from '@platform/outbox'
import { onEveryInstance, type Part } from '@platform/service'
import type { LimitsByWorkspace } from '../../automations/model.ts'
import type { RuntimeConfig } from '../../config.ts'
import {
  type PlannedChange,
  planChange,
  presentSecrets,
  requireOwnNames,
  scopeOf,
  toldChange,
} from './secret-change.ts'
import { type SecretParts, sealContextOf } from './secret-parts.ts'
import { secretStore } from './secret-store.ts'
import { WorkspaceRates } from './workspace-rates.ts'
import { workspaceSecretStore } from './workspace-secret-store.ts'

/** What reading and changing the secrets of workspaces needs. */
interface SecretDeps extends Omit<SecretParts, 'clock'> {
  readonly outbox: Outbox
  readonly audit: Audit
  readonly config: Pick<RuntimeConfig, 'events' | 'throttling'>
  readonly log: Pick<Logger, 'warn'>
}

/** Who changes secrets of which workspace, by which request. */
interface ChangedBy {
  readonly workspaceId: string
  readonly principal: UserPrincipal
  readonly request: RequestInfo
}

/** Secrets of workspaces as people set them, and the limits that operators set by some of them. */
export function workspaceSecretsPart(deps: SecretDeps): {
  part: Part
  limits: LimitsByWorkspace | undefined
} {
  const routes = [getSecrets(deps), putSecrets(deps), patchSecrets(deps), deleteSecret(deps)]
  const { database, config } = deps
  if (config.throttling === undefined) return { part: { routes }, limits: undefined }
  const { listSystem } = workspaceSecretStore(database)
  const rates = new WorkspaceRates({ ...deps, limits: config.throttling, listSystem })
  const forget = ({ workspaceId }: { workspaceId: string | undefined }) => {
    if (workspaceId !== undefined) rates.forget(workspaceId)
  }
  const subscription = onEveryInstance(workspaceEvents.secretsUpdated, forget, () => rates.forgetAll())
  return { part: { routes, subscriptions: [subscription] }, limits: rates }
}

const getSecrets = ({ database }: SecretDeps) =>
  route(getContract, {
    handle: async ({ principal, admitted: { workspace } }) =>
      presentSecrets(await workspaceSecretStore(database).describe(workspace.id, principal.superAdmin)),
  })

const putSecrets = (deps: SecretDeps) =>
  route(putContract, {
    handle: ({ body, principal, request, admitted }) =>
      changed(deps, body, true, { workspaceId: admitted.workspace.id, principal, request }),
  })

const patchSecrets = (deps: SecretDeps) =>
  route(patchContract, {
    handle: ({ body, principal, request, admitted }) =>
      changed(deps, body, false, { workspaceId: admitted.workspace.id, principal, request }),
  })

const deleteSecret = (deps: SecretDeps) =>
  route(deleteContract, {
    async handle({ params: { secretName: name }, principal, request, admitted: { workspace } }) {
      requireOwnNames([name], principal.superAdmin)
      const by = { workspaceId: workspace.id, principal, request }
      await deps.database.transaction(async (tx) => {
        await workspaceSecretStore(tx).lock(workspace.id)
        const isThere = await secretStore(tx).remove({ ...by, scope: scopeOf(name), owner: '', name })
        if (!isThere) throw secretNotFound(name)
        await tell(deps, tx, { saved: [], created: [], updated: [], deleted: [name] }, by)
      })
      return { secretName: name }
    },
  })

/** Changes secrets, and answers what there is then. */
async function changed(
  deps: SecretDeps,
  wanted: Readonly<Record<string, SecretChange>>,
  replaces: boolean,
  by: ChangedBy,
) {
  const { workspaceId, principal, request } = by
  requireOwnNames(Object.keys(wanted), principal.superAdmin)
  const secrets = await deps.database.transaction(async (tx) => {
    const store = workspaceSecretStore(tx)
    await store.lock(workspaceId)
    const before = await store.describe(workspaceId, principal.superAdmin)
    requireMatch(request.headers, etagOf(getContract, presentSecrets(before)))
    const plan = planChange(before, wanted, { replaces, seal: sealerOf(deps, workspaceId) })
    if (isNothing(plan)) return presentSecrets(before)
    const gone = plan.deleted.map((name) => ({ scope: scopeOf(name), name }))
    await store.removeAll(workspaceId, gone)
    await store.save(workspaceId, plan.saved, principal.userId)
    if (plan.created.some((name) => !isSystemSecret(name)))
      requireRoom(await secretStore(tx).count(workspaceId), deps.max)
    const after = presentSecrets(await store.describe(workspaceId, principal.superAdmin))
    await tell(deps, tx, plan, by)
    return after
  })
  return respond(secrets satisfies WorkspaceSecrets, { headers: { etag: etagOf(getContract, secrets) } })
}

const isNothing = ({ created, updated, deleted }: PlannedChange): boolean =>
  created.length + updated.length + deleted.length === 0

/** Reports a change by its event, and notes it in the audit trail: the last steps of its transaction. */
async function tell(deps: SecretDeps, tx: Queries, plan: PlannedChange, by: ChangedBy): Promise<void> {
  const { workspaceId, principal, request } = by
  const told = toldChange(plan, deps.config.events.maxLength)
  const { userId, sessionId } = principal
  const { correlationId, clientIp: ip } = request
  const host = { service: 'runtime' } as const
  const source = { workspaceId, userId, sessionId, ip: shownIp(ip), correlationId, host }
  await deps.outbox.add(tx, workspaceEvents.secretsUpdated, told, source)
  await deps.audit.record(tx, {
    action: 'secrets.changed',
    actor: actorOf(principal),
    subject: `workspace:${workspaceId}`,
    ip,
    correlationId,
    details: told,
  })
}

function sealerOf({ masterKeys }: SecretDeps, workspaceId: string): (name: string, text: string) => string {
  return (name, text) => {
    if (masterKeys === undefined) throw noKeys()
    return masterKeys.seal(text, sealContextOf({ workspaceId, scope: scopeOf(name), owner: '', name }))
  }
}

const noKeys = () =>
  new Failure(
    'ServiceUnavailable',
    'Secrets can’t be kept here: an operator has to give SECRETS_MASTER_KEYS to the runtime.',
  )

function requireRoom(count: number, max: number): void {
  if (count <= max) return
  throw new Failure(
    'RequestValidationError',
    `The workspace would have ${count} secrets, with those of its users, and may have ${max}: delete some first.`,
    { details: [{ path: 'body', message: `is too much: ${max} secrets are allowed` }] },
  )
}

const secretNotFound = (name: string) =>
  new Failure('ObjectNotFoundError', `There is no secret "${name.slice(0, 200)}" in this workspace.`)
