import {
  isSystemSecret,
  type SecretChange,
  systemSecretProblem,
  textOfSecret,
  type WorkspaceSecret,
  type WorkspaceSecrets,
} from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { DescribedSecret, SavedSecret } from './workspace-secret-store.ts'

/** The secrets of a workspace as callers see them; `overridden` names those of the environment. */
export function presentSecrets(
  secrets: readonly DescribedSecret[],
  overridden: readonly string[],
): WorkspaceSecrets {
  const stored = secrets.map((one) => [one.name, presentSecret(one)] as const)
  const shown = new Map<string, WorkspaceSecret>([
    ...stored,
    ...overridden.map((name) => [name, { fromEnvironment: true }] as const),
  ])
  return Object.fromEntries([...shown].sort(([one], [other]) => (one < other ? -1 : 1)))
}

const presentSecret = ({
  description,
  createdBy,
  updatedBy,
  createdAt,
  updatedAt,
  expiresAt,
}: DescribedSecret): WorkspaceSecret => ({
  ...(description === null ? {} : { description }),
  ...(createdBy === null ? {} : { createdBy }),
  ...(updatedBy === null ? {} : { updatedBy }),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
})

/** Of the scopes that the API knows; what belongs to a user is for automations alone. */
export const scopeOf = (name: string): 'workspace' | 'system' =>
  isSystemSecret(name) ? 'system' : 'workspace'

/** What becomes of the secrets of a workspace. */
export interface PlannedChange {
  readonly saved: readonly SavedSecret[]
  readonly created: readonly string[]
  readonly updated: readonly string[]
  readonly deleted: readonly string[]
}

/**
 * What somebody wants the secrets to be; with `replaces` others go. `seal` closes a value for its place. Throws
 * RequestValidationError for a new secret without a value, and for what the platform's own may not be.
 */
export function planChange(
  before: readonly DescribedSecret[],
  wanted: Readonly<Record<string, SecretChange>>,
  { replaces, seal }: { replaces: boolean; seal: (name: string, text: string) => string },
): PlannedChange {
  const known = new Map(before.map((one) => [one.name, one]))
  const saved = Object.entries(wanted).flatMap(([name, change]): SavedSecret[] => {
    const there = known.get(name)
    requireValue(name, change.value, there !== undefined)
    const description = describedBy(change, replaces ? undefined : there)
    if (change.value === undefined && description === there?.description) return []
    const sealed = change.value === undefined ? undefined : seal(name, textOfSecret(change.value))
    return [{ scope: scopeOf(name), name, sealed, description }]
  })
  const names = saved.map(({ name }) => name)
  return {
    saved,
    created: names.filter((name) => !known.has(name)),
    updated: names.filter((name) => known.has(name)),
    deleted: replaces ? [...known.keys()].filter((name) => !Object.hasOwn(wanted, name)) : [],
  }
}

/** What is not said stays as it is, where there is something. */
const describedBy = ({ description }: SecretChange, there: DescribedSecret | undefined): string | null =>
  description === undefined ? (there?.description ?? null) : description

function requireValue(name: string, value: unknown, isThere: boolean): void {
  const problem =
    value !== undefined
      ? isSystemSecret(name) && systemSecretProblem(name, value)
      : !isThere && 'is required: there is no secret of this name yet'
  if (problem === false || problem === undefined) return
  const path = `body.${name}.value`
  throw new Failure('RequestValidationError', `${path}: ${problem}.`, {
    details: [{ path, message: problem }],
  })
}

/** Throws ForbiddenError where names of the platform are not the caller's to set. */
export function requireOwnNames(names: readonly string[], maySetSystem: boolean): void {
  const name = maySetSystem ? undefined : names.find(isSystemSecret)
  if (name === undefined) return
  const message = `The secret "${name.slice(0, 200)}" is the platform’s own: only super administrators may set it.`
  throw new Failure('ForbiddenError', message)
}

/** Room for the type and the frame of an event around its payload. */
const FRAME_LENGTH = 500

/** The names of what was changed, as events and the audit trail tell them; of too many, that there were. */
export function toldChange({ created, updated, deleted }: PlannedChange, maxLength: number) {
  const told = { created: [...created], updated: [...updated], deleted: [...deleted] }
  return JSON.stringify(told).length + FRAME_LENGTH <= maxLength ? told : { truncated: true }
}
