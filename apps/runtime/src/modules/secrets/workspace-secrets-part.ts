import type { Audit } from '@platform/audit'
import { actorOf, type KnownWorkspace, type UserPrincipal } from '@platform/auth'
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
import { type SealedSecret, secretStore } from './secret-store.ts'
import { WorkspaceRates } from './workspace-rates.ts'
import { type DescribedSecret, workspaceSecretStore } from './workspace-secret-store.ts'

/** What reading and changing the secrets of workspaces needs. */
interface SecretDeps extends Omit<SecretParts, 'clock'> {
  readonly outbox: Outbox
  readonly audit: Audit
  readonly config: Pick<RuntimeConfig, 'events' | 'throttling'>
  readonly log: Pick<Logger, 'warn'>
}

/** Who changes secrets of which workspace, by which request. */
interface ChangedBy {
  readonly workspace: Pick<KnownWorkspace, 'id' | 'slug'>
  readonly principal: UserPrincipal
  readonly request: RequestInfo
}

/** Secrets of workspaces as people set them, and the limits that operators set by some of them. */
export function workspaceSecretsPart(deps: SecretDeps): {
  part: Part
  limits: LimitsByWorkspace | undefined
} {
  const routes = [getSecrets(deps), putSecrets(deps), patchSecrets(deps), deleteSecret(deps)]
  const { config } = deps
  if (config.throttling === undefined) return { part: { routes }, limits: undefined }
  const listSystem = (ids: readonly string[]) => listSystemSecrets(deps, ids)
  const rates = new WorkspaceRates({ ...deps, limits: config.throttling, listSystem })
  const forget = ({ workspaceId }: { workspaceId: string | undefined }) => {
    if (workspaceId !== undefined) rates.forget(workspaceId)
  }
  const subscription = onEveryInstance(workspaceEvents.secretsUpdated, forget, () => rates.forgetAll())
  return { part: { routes, subscriptions: [subscription] }, limits: rates }
}

/** What the platform keeps for these workspaces; what operators set in the environment comes last and counts. */
async function listSystemSecrets(
  { database, overrides, masterKeys }: SecretDeps,
  workspaceIds: readonly string[],
): Promise<SealedSecret[]> {
  const store = workspaceSecretStore(database)
  const stored = await store.listSystem(workspaceIds)
  const slugs = overrides.listSystemSlugs()
  if (slugs.length === 0 || masterKeys === undefined) return stored
  const given = (await store.listNamed(workspaceIds, slugs)).flatMap(({ id: workspaceId, slug }) =>
    overrides.listSecrets({ slug }, 'system').map((name) => {
      const place = { workspaceId, scope: 'system', owner: '', name } as const
      const text = overrides.findSecret({ slug }, name) ?? ''
      return { ...place, sealed: masterKeys.seal(text, sealContextOf(place)) }
    }),
  )
  return [...stored, ...given]
}

const getSecrets = (deps: SecretDeps) =>
  route(getContract, {
    handle: async ({ principal, admitted: { workspace } }) =>
      shown(deps, await workspaceSecretStore(deps.database).describe(workspace.id, principal.superAdmin), {
        workspace,
        principal,
      }),
  })

/** Stored secrets with those of the environment. */
const shown = (
  { overrides }: SecretDeps,
  stored: readonly DescribedSecret[],
  { workspace, principal }: Pick<ChangedBy, 'workspace' | 'principal'>,
): WorkspaceSecrets =>
  presentSecrets(stored, [
    ...overrides.listSecrets(workspace, 'workspace'),
    ...(principal.superAdmin ? overrides.listSecrets(workspace, 'system') : []),
  ])

const putSecrets = (deps: SecretDeps) =>
  route(putContract, {
    handle: ({ body, principal, request, admitted }) =>
      changed(deps, body, true, { workspace: admitted.workspace, principal, request }),
  })

const patchSecrets = (deps: SecretDeps) =>
  route(patchContract, {
    handle: ({ body, principal, request, admitted }) =>
      changed(deps, body, false, { workspace: admitted.workspace, principal, request }),
  })

const deleteSecret = (deps: SecretDeps) =>
  route(deleteContract, {
    async handle({ params: { secretName: name }, principal, request, admitted: { workspace } }) {
      requireOwnNames([name], principal.superAdmin)
      deps.overrides.requireChangeable(workspace, name)
      const by = { workspace, principal, request }
      const place = { workspaceId: workspace.id, scope: scopeOf(name), owner: '', name }
      await deps.database.transaction(async (tx) => {
        await workspaceSecretStore(tx).lock(workspace.id)
        const isThere = await secretStore(tx).remove(place)
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
  const { workspace, principal, request } = by
  const workspaceId = workspace.id
  requireOwnNames(Object.keys(wanted), principal.superAdmin)
  const own = withoutOverridden(deps, workspace, wanted)
  const secrets = await deps.database.transaction(async (tx) => {
    const store = workspaceSecretStore(tx)
    await store.lock(workspaceId)
    const before = await store.describe(workspaceId, principal.superAdmin)
    requireMatch(request.headers, etagOf(getContract, shown(deps, before, by)))
    // What the environment overrides is kept as it is, to count again when an operator takes that away.
    const open = before.filter(({ name }) => deps.overrides.findSecret(workspace, name) === undefined)
    const plan = planChange(open, own, { replaces, seal: sealerOf(deps, workspaceId) })
    if (isNothing(plan)) return shown(deps, before, by)
    const gone = plan.deleted.map((name) => ({ scope: scopeOf(name), name }))
    await store.removeAll(workspaceId, gone)
    await store.save(workspaceId, plan.saved, principal.userId)
    if (plan.created.some((name) => !isSystemSecret(name)))
      requireRoom(await secretStore(tx).count(workspaceId), deps.max)
    const after = shown(deps, await store.describe(workspaceId, principal.superAdmin), by)
    await tell(deps, tx, plan, by)
    return after
  })
  return respond(secrets satisfies WorkspaceSecrets, { headers: { etag: etagOf(getContract, secrets) } })
}

/** What is wanted of stored secrets. Throws ForbiddenError where it would change one of the environment. */
function withoutOverridden(
  { overrides }: SecretDeps,
  workspace: ChangedBy['workspace'],
  wanted: Readonly<Record<string, SecretChange>>,
): Readonly<Record<string, SecretChange>> {
  const isOverridden = (name: string) => overrides.findSecret(workspace, name) !== undefined
  for (const [name, { value, description }] of Object.entries(wanted))
    if (value !== undefined || description !== undefined) overrides.requireChangeable(workspace, name)
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => !isOverridden(name)))
}

const isNothing = ({ created, updated, deleted }: PlannedChange): boolean =>
  created.length + updated.length + deleted.length === 0

/** Reports a change by its event, and notes it in the audit trail: the last steps of its transaction. */
async function tell(deps: SecretDeps, tx: Queries, plan: PlannedChange, by: ChangedBy): Promise<void> {
  const { workspace, principal, request } = by
  const workspaceId = workspace.id
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
