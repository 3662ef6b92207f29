import type { Workspace, WorkspaceInput, WorkspacePatch } from '@platform/contracts'
import { newWorkspaceId } from '@platform/kernel'
import type { WorkspaceRecord } from './workspace-store.ts'

/** A new workspace; without a slug it gets one from its name and a random ending. */
export function newWorkspace(input: WorkspaceInput, actor: string, now: Date): WorkspaceRecord {
  const id = newWorkspaceId()
  return {
    id,
    slug: input.slug ?? slugFrom(input.name),
    name: input.name,
    description: input.description ?? null,
    photo: input.photo ?? null,
    labels: input.labels ?? null,
    config: input.config ?? null,
    createdAt: now,
    updatedAt: now,
    createdBy: actor,
    updatedBy: actor,
    revision: 1,
  }
}

/** Fields given replace those there are; `config` is merged one level deep. */
export function patchedWorkspace(
  record: WorkspaceRecord,
  patch: WorkspacePatch,
  actor: string,
  now: Date,
): WorkspaceRecord {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
  const config = patch.config === undefined ? record.config : { ...record.config, ...patch.config }
  return { ...record, ...given, config, updatedAt: now, updatedBy: actor }
}

/** The workspace as callers see it: what was never given is left out. */
export function presentWorkspace(record: WorkspaceRecord): Workspace {
  const { createdAt, updatedAt, revision: _revision, ...rest } = record
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
  return {
    ...(given as Omit<Workspace, 'createdAt' | 'updatedAt'>),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

/** The state of a workspace with its index of automations. */
export const workspaceEtag = (revision: number): string => `"${revision}"`

/** Room for the type and the frame of an event around its payload. */
const FRAME_LENGTH = 500

/** The workspace as its events carry it: one that would not fit keeps only its identity (`truncated`). */
export function announcedWorkspace(
  workspace: Workspace,
  maxLength: number,
): Workspace & { truncated?: boolean } {
  if (JSON.stringify(workspace).length + FRAME_LENGTH <= maxLength) return workspace
  const { description: _d, photo: _p, labels: _l, config: _c, ...identity } = workspace
  return { ...identity, truncated: true }
}

/** `Café du Port` → `cafe-du-port-x7k2p9`. */
function slugFrom(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  const base = plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50)
  const ending = newWorkspaceId().slice(-6)
  return base === '' ? `workspace-${ending}` : `${base}-${ending}`
}
