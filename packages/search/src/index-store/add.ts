import { type PlacedDocument, type Rejection, SearchError } from '../search.ts'
import { type BulkItem, bulk, bulkAction } from './bulk.ts'
import type { DataStreams } from './data-streams.ts'
import { bareDocument, indexedDocument } from './indexed-document.ts'
import type { Installation } from './installation.ts'
import { alreadyIn, removeDoubles } from './redelivered.ts'
import { type IndexContext, isAway, WIPED } from './store.ts'
import { dataStreamOf } from './stream-names.ts'
import { guardName } from './template.ts'

export interface Writing {
  context: IndexContext
  installation: Installation
  dataStreams: DataStreams
}

interface Entry {
  dataStream: string
  document: PlacedDocument
}

/** Adds documents to their data streams (port search-index.ts, `add`). */
export async function add(writing: Writing, documents: readonly PlacedDocument[]): Promise<Rejection[]> {
  const rejections: Rejection[] = []
  const entries = new Map<string, Entry>()
  for (const document of documents) {
    const dataStream = dataStreamOf(writing.context.template.prefix, document.stream)
    if (dataStream === undefined)
      rejections.push(rejection(document, 'The name of the stream is none of events.'))
    else entries.set(`${document.stream} ${document.id}`, { dataStream, document })
  }
  if (entries.size === 0) return rejections
  const first = await write(writing, [...entries.values()], indexedDocument)
  // Refused for its content, an event is still found by its values and stored whole.
  const second = await write(
    writing,
    first.map(({ entry }) => entry),
    bareDocument,
  )
  return [...rejections, ...second.map(({ entry, reason }) => rejection(entry.document, reason))]
}

const rejection = ({ id, stream }: PlacedDocument, reason: string): Rejection => ({ id, stream, reason })

interface Refused {
  entry: Entry
  reason: string
}

type Form = (document: PlacedDocument) => object

/** A store that was wiped in between is made ready again, once. */
async function write(writing: Writing, entries: readonly Entry[], form: Form): Promise<Refused[]> {
  if (entries.length === 0) return []
  try {
    return await writeOnce(writing, entries, form)
  } catch (error) {
    if (!(error instanceof SearchError && error.code === WIPED)) throw error
    writing.installation.doubt()
    writing.dataStreams.forget()
    return await writeOnce(writing, entries, form)
  }
}

async function writeOnce(writing: Writing, entries: readonly Entry[], form: Form): Promise<Refused[]> {
  const { context, dataStreams } = writing
  const missing = await makeReady(writing, entries)
  const items = await bulk(
    context,
    missing.map(({ dataStream, document }) =>
      bulkAction({ create: { _index: dataStream, _id: document.id } }, form(document)),
    ),
    { pipeline: guardName(context.template.prefix), require_data_stream: true },
  )
  const refused = missing.flatMap((entry, index) => readItem(entry, items[index]))
  await removeDoubles(context, dataStreams, items)
  return refused
}

/** Waits for the template and the data streams. Returns what older backing indexes don't have yet. */
async function makeReady({ context, installation, dataStreams }: Writing, entries: readonly Entry[]) {
  await installation.ready()
  const byStream = Map.groupBy(entries, ({ dataStream }) => dataStream)
  const missing: Entry[] = []
  for (const [dataStream, group] of byStream) {
    const older = (await dataStreams.ready(dataStream)).slice(0, -1)
    const there = await alreadyIn(
      context,
      older,
      group.map(({ document }) => document.id),
    )
    missing.push(...group.filter(({ document }) => !there.has(document.id)))
  }
  return missing
}

/** One result: there (also already), refused for what it is, or a reason to send all again. */
function readItem(entry: Entry, item: BulkItem | undefined): Refused[] {
  if (item === undefined) throw away('The search store answered for fewer documents than it was sent.')
  const { status, error } = item
  if (status < 300 || status === 409) return []
  const reason = [error?.reason, error?.caused_by?.reason].filter((part) => part !== undefined).join(': ')
  if (isWiped(status, reason)) throw away(`The search store lost what was installed: ${reason}`, WIPED)
  if (isAway(status)) throw away(`The search store can’t write now: ${reason}`, error?.type)
  return [{ entry, reason }]
}

/** Only how a reason begins is the store's own: further on it may repeat keys and values of the event. */
const isWiped = (status: number, reason: string): boolean =>
  status === 404 || /^(pipeline with id \[[^\]]*\] does not exist|\[require_data_stream\])/.test(reason)

const away = (message: string, code?: string): SearchError =>
  new SearchError(message, { unavailable: true, code })
