import { HOST_TEXTS, SOURCE_INTEGERS, SOURCE_TEXTS, TARGET_TEXTS } from './indexed-document.ts'

export interface TemplateOptions {
  driver: 'opensearch' | 'elasticsearch'
  prefix: string
  /** Primary shards of a stream that is new. */
  shards: number
  replicas: number
  /** The policy that rolls over, where the build has policies. */
  lifecycle: string | undefined
}

/** Grows with the mapping below: an index with another number is not written to. */
const VERSION = 1
/** Of the template of all streams; any other template with a higher priority wins. */
export const PRIORITY = 500

/** A text that is refused nothing: what is longer than a term is left out of the index, never out of the document. */
const keyword = { type: 'keyword', ignore_above: 8191 }
const unread = { type: 'object', enabled: false }

const fields = (names: readonly string[], mapping: object) =>
  Object.fromEntries(names.map((name) => [name, mapping]))

/**
 * The mapping of every stream: fields we sort and count by are fields of their own, the payload is one flattened
 * field.
 */
const mappings = ({ driver }: TemplateOptions) => ({
  dynamic: 'strict',
  _meta: { platform: VERSION },
  _source: { excludes: ['leaves', 'words'] },
  properties: {
    '@timestamp': { type: 'date' },
    id: keyword,
    sequence: { type: 'long' },
    type: keyword,
    createdAt: { type: 'date' },
    size: { type: 'integer' },
    source: {
      properties: {
        ...fields(SOURCE_TEXTS, keyword),
        ...fields(SOURCE_INTEGERS, { type: 'integer' }),
        host: { properties: fields(HOST_TEXTS, keyword) },
      },
    },
    payload: { type: driver === 'opensearch' ? 'flat_object' : 'flattened' },
    target: { properties: { ...fields(TARGET_TEXTS, keyword), currentSocket: { type: 'boolean' } } },
    options: unread,
    error: unread,
    leaves: { type: 'keyword' },
    // Only ever looked up by their beginning.
    words: { type: 'keyword', doc_values: false },
    kept: unread,
  },
})

/** Tuned for writing; an index is a copy of the log, so a second of it may be lost with a machine. */
const settings = ({ driver, shards, replicas, lifecycle }: TemplateOptions) => ({
  number_of_shards: shards,
  number_of_replicas: replicas,
  refresh_interval: '5s',
  'translog.durability': 'async',
  ...(driver === 'elasticsearch' && lifecycle !== undefined ? { 'lifecycle.name': lifecycle } : {}),
})

/** The composable template of all streams. */
export const streamTemplate = (options: TemplateOptions) => ({
  index_patterns: [`${options.prefix}events-*`],
  priority: PRIORITY,
  version: VERSION,
  data_stream: {},
  template: { settings: settings(options), mappings: mappings(options) },
})

/** The template of one stream that has become big: its next backing indexes have more shards. */
export const bigStreamTemplate = (options: TemplateOptions, name: string) => ({
  ...streamTemplate(options),
  index_patterns: [name],
  priority: PRIORITY + 1,
})

export const templateName = (prefix: string): string => `${prefix}events`
/**
 * An empty ingest pipeline: a write that names it is refused by a store that was wiped, before an index is made up
 * for it.
 */
export const guardName = (prefix: string): string => `${prefix}events`

/** True for the mapping of a backing index that this version wrote. */
export function isOurs(mapping: unknown): boolean {
  const { dynamic, _meta } = (mapping ?? {}) as { dynamic?: unknown; _meta?: { platform?: unknown } }
  return dynamic === 'strict' && _meta?.platform === VERSION
}
