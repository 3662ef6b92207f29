import { isSystemSecret, SECRET_MAX, textOfSecret } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import type { RunState } from '../../automations/model.ts'
import { writeOnce } from '../effect-store.ts'
import { keptAnswer } from '../kept-answer.ts'
import type { FunctionsOf, ModuleCall } from '../module.ts'
import { makeReference, type ReadReference, readWholeReference } from './references.ts'
import { type SecretParts, type SecretPlace, sealContextOf } from './secret-parts.ts'
import { secretStore } from './secret-store.ts'

const NOT_FOUND = { error: 'not_found', message: 'There is no secret of this name and scope.' }
const USER_REQUIRED = {
  error: 'user_required',
  message: 'The run acts for no user: a secret of the scope user needs one who is signed in.',
}

/** `secrets`: the run gets references, which `fetch` turns into values when a request leaves. */
export const secretFunctions: FunctionsOf<'secrets'> = {
  async set({ name, scope, value, ttl }, call) {
    const { run } = call.frame
    const parts = partsOf(call)
    const { database, max } = parts
    const place = placeOf(run, scope, name)
    if (place === undefined) return USER_REQUIRED
    const masterKeys = requireKeys(parts)
    const other = readWholeReference(masterKeys, value)
    const given = textOf(value)
    if (other === undefined) run.secrets.add(given)
    const reference = await keptAnswer(call, async ({ key, mayRepeat }) => {
      requireChangeable(run, parts, place)
      const text = other === undefined ? given : await copied(run, parts, other)
      await writeOnce(database, { key, mayRepeat, runId: run.runId }, async (tx) => {
        const store = secretStore(tx)
        if ((await store.find(place)) === undefined && (await store.count(place.workspaceId)) >= max)
          throw tooMany(max)
        const sealed = masterKeys.seal(text, sealContextOf(place))
        await store.put({ ...place, sealed }, ttl, `automation:${call.frame.automation.slug}`)
        return true
      })
      return referenceOf(run, parts, place)
    })
    showSecret(run, place, reference)
    return reference
  },

  async get({ name, scope }, call) {
    const { run } = call.frame
    const place = placeOf(run, scope, name)
    if (place === undefined) return USER_REQUIRED
    const parts = partsOf(call)
    const find = async () => {
      const found = overriding(run, parts, place) ?? (await secretStore(parts.database).find(place))
      return found === undefined ? NOT_FOUND : referenceOf(run, parts, place)
    }
    return await keptAnswer<unknown>(call, find, { onlyReads: true })
  },

  async delete({ name, scope }, call: ModuleCall) {
    const { run } = call.frame
    const place = placeOf(run, scope, name)
    if (place === undefined) return USER_REQUIRED
    const parts = partsOf(call)
    const answer = await keptAnswer<unknown>(call, ({ key, mayRepeat }) => {
      requireChangeable(run, parts, place)
      return writeOnce(parts.database, { key, mayRepeat, runId: run.runId }, async (tx) =>
        (await secretStore(tx).remove(place)) ? { deleted: true } : NOT_FOUND,
      )
    })
    showSecret(run, place, undefined)
    return answer
  },
}

/**
 * The run sees what it did to the secrets of its workspace, as `secret`. It is told by the answer that was kept: done
 * again, it sees the same at the same place.
 */
export function showSecret(
  { contexts }: Pick<RunState, 'contexts'>,
  { scope, name }: Pick<SecretPlace, 'scope' | 'name'>,
  reference: string | undefined,
): void {
  if (scope === 'workspace') contexts.show('secret', name, reference)
}

/** That there is no value behind a reference; the message says why. */
export class SecretGone extends Error {
  override readonly name = 'SecretGone'
}

/** The value that a reference names, for what leaves the platform. Throws SecretGone. */
export async function referencedValue(
  run: Pick<RunState, 'workspace' | 'correlationId'>,
  parts: SecretParts,
  { place, correlationId, expiresAtMs }: ReadReference,
): Promise<string> {
  const { database, clock, masterKeys } = parts
  if (place.workspaceId !== run.workspace.id || correlationId !== run.correlationId)
    throw new SecretGone('The reference of a secret counts only where it was asked for: get it again.')
  if (expiresAtMs < clock.now().getTime())
    throw new SecretGone(
      `The reference of the secret "${place.name}" is too old: get it right before it is used.`,
    )
  const override = overriding(run, parts, place)
  if (override !== undefined) return override
  const sealed = isSystemSecret(place.name) ? undefined : await secretStore(database).find(place)
  if (sealed === undefined || masterKeys === undefined)
    throw new SecretGone(`The secret "${place.name}" is not there any more: set it again.`)
  return masterKeys.open(sealed, sealContextOf(place))
}

/** What an operator has set in place of a secret of the workspace. */
const overriding = (
  { workspace }: Pick<RunState, 'workspace'>,
  { overrides }: SecretParts,
  { scope, name }: SecretPlace,
): string | undefined =>
  scope === 'workspace' && !isSystemSecret(name) ? overrides.findSecret(workspace, name) : undefined

/** Throws ForbiddenError. */
function requireChangeable({ workspace }: RunState, { overrides }: SecretParts, place: SecretPlace): void {
  if (place.scope === 'workspace') overrides.requireChangeable(workspace, place.name)
}

/** A secret that is set to what another one is: its reference came back in an answer, or was passed on. */
const copied = (run: RunState, parts: SecretParts, other: ReadReference): Promise<string> =>
  referencedValue(run, parts, other).catch((error: unknown) => {
    throw error instanceof SecretGone ? new Failure('InvalidArgumentsError', error.message) : error
  })

function partsOf({ stores }: ModuleCall): SecretParts {
  if (stores === undefined) throw new Error('The automation was compiled without the stores of modules.')
  return stores.secrets
}

function requireKeys({ masterKeys }: SecretParts): MasterKeyRing {
  if (masterKeys !== undefined) return masterKeys
  const message = 'Secrets can’t be kept here: an operator has to give SECRETS_MASTER_KEYS to the runtime.'
  throw new Failure('InvalidInstructionError', message)
}

/** undefined where a user is needed and there is none. */
function placeOf(run: RunState, scope: 'user' | 'workspace', name: string): SecretPlace | undefined {
  const { userId, anonymous } = run.subject
  const workspaceId = run.workspace.id
  if (scope === 'workspace') return { workspaceId, scope, owner: '', name }
  return userId === undefined || anonymous === true ? undefined : { workspaceId, scope, owner: userId, name }
}

const referenceOf = (run: RunState, parts: SecretParts, place: SecretPlace): string =>
  makeReference(requireKeys(parts), place, run.correlationId, parts.clock.now())

function textOf(value: unknown): string {
  const text = textOfSecret(value)
  if (text.length <= SECRET_MAX) return text
  throw new Failure(
    'PayloadTooLarge',
    `A secret may have ${SECRET_MAX} characters, this one has ${text.length}.`,
  )
}

const tooMany = (max: number) =>
  new Failure(
    'InvalidArgumentsError',
    `The workspace has ${max} secrets already: delete some, or give them a ttl.`,
    {
      details: { max },
    },
  )
