import { createHash } from 'node:crypto'
import type { Automation, AutomationDefinition, AutomationInput, LocalizedText } from '@platform/contracts'

/** An automation as it is kept. */
export interface AutomationRecord {
  definition: AutomationDefinition
  checksum: string
  createdAt: Date
  updatedAt: Date
  createdBy: string
  updatedBy: string
}

/** A list entry: everything but the steps. */
export type IndexEntry = Omit<AutomationDefinition, 'do'>

/** A list entry with its record's own fields. */
export interface ListedAutomation extends Omit<AutomationRecord, 'definition'> {
  entry: IndexEntry
}

const SLUG_LENGTH = 20

/** A definition with its identity: the slug given or one from the name, and a name in any case. */
export function identified(input: AutomationInput, taken: ReadonlySet<string>): AutomationDefinition {
  const slug = input.slug ?? freeSlug(slugFrom(input.name), taken)
  return { ...input, slug, name: input.name ?? slug }
}

/** Fields given replace those there are. */
export const patchedDefinition = (
  current: AutomationDefinition,
  patch: Partial<AutomationInput>,
): AutomationDefinition => ({
  ...current,
  ...patch,
  slug: patch.slug ?? current.slug,
  name: patch.name ?? current.name,
})

/** Whether a text says all that there is of an automation, and not only what a change of it says. */
export const isWhole = (
  patch: Partial<AutomationInput>,
  { definition, checksum }: AutomationRecord,
): boolean => {
  const { slug, name } = definition
  return checksumOf(patchedDefinition({ slug, name }, patch)) === checksum
}

/** A record of a definition that was just saved. */
export const recordOf = (
  definition: AutomationDefinition,
  by: string,
  now: Date,
  before?: AutomationRecord,
): AutomationRecord => ({
  definition,
  checksum: checksumOf(definition),
  createdAt: before?.createdAt ?? now,
  createdBy: before?.createdBy ?? by,
  updatedAt: now,
  updatedBy: by,
})

/** The automation as callers see it. */
export const presentAutomation = ({
  definition,
  createdAt,
  updatedAt,
  ...rest
}: AutomationRecord): Automation => ({
  ...definition,
  ...rest,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

/** The state of an automation; who saved it when is part of it. */
export const automationEtag = ({ checksum, updatedAt, updatedBy }: AutomationRecord): string =>
  `"${hashOf([checksum, updatedAt.getTime(), updatedBy]).slice(0, 32)}"`

/** A list entry as callers see it. */
export const presentEntry = ({ entry, createdAt, updatedAt, ...rest }: ListedAutomation) => ({
  ...entry,
  ...rest,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

/** The definition without its steps. */
export function indexEntryOf(definition: AutomationDefinition): IndexEntry {
  const { do: _steps, ...entry } = definition
  return entry
}

/** Pattern of the URL trigger; the slug itself for `endpoint: true`. undefined without one. */
export function endpointOf({ slug, when }: AutomationDefinition): string | undefined {
  const endpoint = when?.endpoint
  if (endpoint === true) return slug
  if (typeof endpoint === 'object') return endpoint.path ?? slug
  return endpoint === false || endpoint === '' ? undefined : endpoint
}

/**
 * SHA-256 of the canonical JSON: the fields of the automation in alphabetical order, everything inside as written,
 * because the order of conditions counts.
 */
const checksumOf = (definition: AutomationDefinition): string =>
  hashOf(Object.fromEntries(Object.entries(definition).sort(([a], [b]) => (a < b ? -1 : 1))))

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** Room for the type, the slugs and the frame of an event around the definition. */
const FRAME_LENGTH = 500
const NAME_LENGTH = 200

/** The definition as its events carry it; one that would not fit is only named (`truncated`). */
export function announcedAutomation(definition: AutomationDefinition, maxLength: number) {
  const size = JSON.stringify(definition).length
  if (size + FRAME_LENGTH <= maxLength) return definition
  const { slug, name } = definition
  return { slug, name: textOf(name).slice(0, NAME_LENGTH), truncated: true, size }
}

/** English, else the first language there is. */
const textOf = (name: LocalizedText | undefined): string =>
  typeof name === 'object' ? (name.en ?? Object.values(name)[0] ?? '') : (name ?? '')

/** Folders of a name belong to the name: only its last part becomes the slug. */
function slugFrom(name: LocalizedText | undefined): string {
  const last =
    textOf(name)
      .split('/')
      .findLast((part) => part.trim() !== '') ?? ''
  const plain = last.normalize('NFD').replace(/\p{M}/gu, '')
  const slug = plain
    .replace(/[^a-zA-Z0-9 _-]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
  return slug.slice(0, SLUG_LENGTH).trim() || 'automation'
}

function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug
  let number = 1
  while (taken.has(`${slug}-${number}`)) number += 1
  return `${slug}-${number}`
}
