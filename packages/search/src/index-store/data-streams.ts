import { atMost } from '@platform/kernel'
import { LRUCache } from 'lru-cache'
import { SearchError } from '../search.ts'
import { type BackingIndex, backingIndexes } from './backing-indexes.ts'
import { checkWhatApplies } from './foreign-templates.ts'
import { ADMIN_MS, type IndexContext, isAway, nameOf, reasonOf, WIPED } from './store.ts'
import { isOurs } from './template.ts'

const KNOWN_MAX = 20_000

/** What is known of a data stream: its backing indexes, the oldest first; the last one is written to. */
export class DataStreams {
  readonly #context: IndexContext
  /** One entry a workspace; what is forgotten is looked up again. */
  readonly #known = new LRUCache<string, string[]>(atMost(KNOWN_MAX))

  constructor(context: IndexContext) {
    this.#context = context
  }

  /** Makes the data stream if it isn't there. Returns its backing indexes; none where the first write makes it. */
  async ready(dataStream: string): Promise<readonly string[]> {
    const known = this.#known.get(dataStream)
    if (known !== undefined) return known
    return (await this.#look(dataStream)) ?? (await this.#create(dataStream))
  }

  /** Looks again: the stream was rolled over. */
  async renew(dataStream: string): Promise<readonly string[]> {
    this.#known.delete(dataStream)
    return (await this.#look(dataStream)) ?? []
  }

  forget(): void {
    this.#known.clear()
  }

  async #look(dataStream: string): Promise<string[] | undefined> {
    const found = await backingIndexes(this.#context, dataStream)
    if (found.length === 0) return undefined
    await checkMapping(this.#context, found)
    const names = found.map(({ index }) => index)
    this.#known.set(dataStream, names)
    return names
  }

  async #create(dataStream: string): Promise<readonly string[]> {
    await Promise.all([
      refuseOrdinaryIndex(this.#context, dataStream),
      checkWhatApplies(this.#context, dataStream),
    ])
    const { status, body } = await this.#context.store({
      method: 'PUT',
      path: `/_data_stream/${dataStream}`,
      timeoutMs: ADMIN_MS,
    })
    if (status < 400 || nameOf(body) === 'resource_already_exists_exception')
      return (await this.#look(dataStream)) ?? []
    // This build has no such request: the first write makes the stream, out of the template.
    if (isNoSuchRequest(status, body)) return []
    const reason = `The data stream ${dataStream} can’t be made: ${reasonOf(body)}`
    const code = /no matching index template/i.test(reason) ? WIPED : nameOf(body)
    throw new SearchError(reason, { unavailable: true, code })
  }
}

/** True for the response to a path or method that the build doesn't have. */
export const isNoSuchRequest = (status: number, body: unknown): boolean =>
  !isAway(status) && (status === 405 || /no handler found|incorrect http method/i.test(reasonOf(body)))

/** What is written to an index with another mapping would be refused or, worse, read in another way. */
async function checkMapping({ store }: IndexContext, backings: readonly BackingIndex[]): Promise<void> {
  const newest = backings.at(-1)
  if (newest === undefined) return
  const { body } = await store<Record<string, { mappings?: unknown }>>({
    method: 'GET',
    path: `/${newest.index}/_mapping`,
    timeoutMs: ADMIN_MS,
  })
  if (!isOurs(body[newest.index]?.mappings)) throw otherMapping(newest.dataStream)
}

async function refuseOrdinaryIndex({ store }: IndexContext, name: string): Promise<void> {
  const { status } = await store({ method: 'GET', path: `/${name}/_mapping`, timeoutMs: ADMIN_MS })
  if (status === 200) throw otherMapping(name)
}

const otherMapping = (name: string): SearchError =>
  new SearchError(
    `The search store has a ${name} with a mapping that is not the platform’s: ` +
      'delete it, or give SEARCH_URL a namespace.',
    { unavailable: true, code: 'OTHER_MAPPING' },
  )
