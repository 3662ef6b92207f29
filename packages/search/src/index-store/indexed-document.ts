import { isRecord, uuidv7Ms } from '@platform/kernel'
import { isStorable } from '../filter.ts'
import type { PlacedDocument } from '../search.ts'
import { wordsIn } from '../words.ts'
import { leavesOf } from './leaves.ts'
import { payloadCopy } from './payload-copy.ts'

/**
 * An event as it is in the store. Fields of the event itself have its names; `leaves` and `words` are not in
 * `_source`.
 */
export interface IndexedDocument extends Record<string, unknown> {
  id: string
  '@timestamp': string
  sequence: number
  leaves?: string[]
  words?: string[]
  /**
   * The event whole, where its fields alone would not give it back. As a text: one key that is too long, or half of a
   * surrogate pair, would make the store refuse all documents of a request.
   */
  kept?: string
}

/** Fields of `source` by type; the template maps the same ones. */
export const SOURCE_TEXTS = [
  'workspaceId',
  'userId',
  'sessionId',
  'ip',
  'correlationId',
  'automationSlug',
  'appSlug',
  'appInstanceFullSlug',
  'socketId',
  'serviceTopic',
] as const
export const SOURCE_INTEGERS = ['automationDepth', 'appInstanceDepth'] as const
export const HOST_TEXTS = ['service', 'replica'] as const
export const TARGET_TEXTS = ['userTopic', 'userId', 'sessionId'] as const

const TEXT_MAX = 8000
const INTEGER_MAX = 2 ** 31 - 1

type Fits = (value: unknown) => boolean
type Shape = { [field: string]: Fits | Shape }

const isText: Fits = (value) => typeof value === 'string' && value.length <= TEXT_MAX && isStorable(value)
const isInteger: Fits = (value) => Number.isInteger(value) && Math.abs(Number(value)) <= INTEGER_MAX
const isFlag: Fits = (value) => typeof value === 'boolean'
const isInstant: Fits = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) && isTime(value)
const isTime = (value: string): boolean => !Number.isNaN(Date.parse(value))
/** Not indexed, but read by the store all the same. */
const isPlain: Fits = (value) => isRecord(value) && !payloadCopy(value).trimmed

const all = (names: readonly string[], fits: Fits): Shape =>
  Object.fromEntries(names.map((name) => [name, fits]))

const shape: Shape = {
  type: isText,
  createdAt: isInstant,
  size: isInteger,
  options: isPlain,
  error: isPlain,
  source: {
    ...all(SOURCE_TEXTS, isText),
    ...all(SOURCE_INTEGERS, isInteger),
    host: all(HOST_TEXTS, isText),
  },
  target: { ...all(TARGET_TEXTS, isText), currentSocket: isFlag },
}

/** What is sent to the store for an event: nothing in it can be refused for its content. */
export function indexedDocument({ id, sequence, document }: PlacedDocument): IndexedDocument {
  const { payload, id: ownId, ...others } = document
  const state = { whole: ownId === id }
  const fields = fitting(others, shape, state)
  if (isRecord(payload)) {
    const { copy, trimmed } = payloadCopy(payload)
    fields.payload = copy
    if (trimmed) state.whole = false
  } else if (payload !== undefined) state.whole = false
  const bare = bareDocument({ id, sequence, document })
  const { kept, ...found } = bare
  return state.whole ? { ...fields, ...found } : { ...fields, ...found, kept }
}

/** The same with its position, its terms and its text alone: for an event that the store refuses all the same. */
export function bareDocument({ id, sequence, document }: Omit<PlacedDocument, 'stream'>) {
  return {
    id,
    '@timestamp': timeOf(id, document),
    sequence,
    leaves: leavesOf(document),
    words: wordsIn(document).filter(isStorable),
    kept: JSON.stringify(document),
  } satisfies IndexedDocument
}

/** The event exactly as it was. */
export function eventOf(source: IndexedDocument): Record<string, unknown> {
  if (source.kept !== undefined) return JSON.parse(source.kept)
  const { '@timestamp': _timestamp, sequence: _sequence, leaves: _leaves, words: _words, ...event } = source
  return event
}

/** The fields that the mapping has, as it has them; the event is not whole without the others. */
function fitting(object: object, fits: Shape, state: { whole: boolean }): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue
    const fit = Object.hasOwn(fits, key) ? fits[key] : undefined
    const fitted = fit === undefined ? undefined : fittingOne(value, fit, state)
    if (fitted === undefined) state.whole = false
    else fields[key] = fitted
  }
  return fields
}

function fittingOne(value: unknown, fit: Fits | Shape, state: { whole: boolean }): unknown {
  if (typeof fit === 'function') return fit(value) ? value : undefined
  return isRecord(value) ? fitting(value, fit, state) : undefined
}

function timeOf(id: string, { createdAt }: Record<string, unknown>): string {
  if (isInstant(createdAt)) return String(createdAt)
  return new Date(uuidv7Ms(id)).toISOString()
}

/** Paths whose values stand in a field of their own: sorted and counted without a look at the terms of all values. */
export const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'type',
  ...SOURCE_TEXTS.map((name) => `source.${name}`),
  ...HOST_TEXTS.map((name) => `source.host.${name}`),
])
export const NUMBER_FIELDS: ReadonlySet<string> = new Set([
  'size',
  ...SOURCE_INTEGERS.map((name) => `source.${name}`),
])
/** The one date. */
export const DATE_FIELD = 'createdAt'

export const isSortable = (path: string): boolean =>
  path === DATE_FIELD || TEXT_FIELDS.has(path) || NUMBER_FIELDS.has(path)
