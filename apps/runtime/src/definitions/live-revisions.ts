import type { DefinitionStore, LiveRevision, WorkspaceKey } from './definition-store.ts'

/** A reading begins at most this often; questions in between share the next one. */
const EVERY_MS = 1
/** Readings under way at once: a store that answers late is not asked more and more. */
const MAX_READINGS = 4

const SLUG = 'slug:'

/** Questions that are answered together. */
interface Batch {
  readonly ids: Set<string>
  readonly slugs: Set<string>
  readonly answer: Promise<ReadonlyMap<string, LiveRevision>>
  readonly start: () => void
  /** Its reading has been scheduled. */
  isDue: boolean
}

/**
 * Asks where workspaces stand. An answer was read after its question was asked: a caller who has saved a change finds
 * it in the next answer, on every instance. Questions of the same millisecond share one statement.
 */
export class LiveRevisions {
  readonly #store: Pick<DefinitionStore, 'listRevisions'>
  #next: Batch | undefined
  #readings = 0
  #startedAt = 0

  constructor(store: Pick<DefinitionStore, 'listRevisions'>) {
    this.#store = store
  }

  /** By id or `slug:<slug>`; undefined when there is none. Rejects with StoreError. */
  async find(address: string): Promise<LiveRevision | undefined> {
    this.#next ??= this.#newBatch()
    const { ids, slugs, answer } = this.#next
    if (address.startsWith(SLUG)) slugs.add(address.slice(SLUG.length))
    else ids.add(address)
    return (await answer).get(address)
  }

  #newBatch(): Batch {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ids = new Set<string>()
    const slugs = new Set<string>()
    const answer = promise.then(() => this.#read(ids, slugs))
    const batch = { ids, slugs, answer, start: resolve, isDue: false }
    this.#startSoon(batch)
    return batch
  }

  #startSoon(batch: Batch): void {
    if (batch.isDue || this.#readings === MAX_READINGS) return
    batch.isDue = true
    this.#readings += 1
    const start = () => this.#start(batch)
    // What arrived in the same turn of the event loop comes along.
    if (performance.now() - this.#startedAt < EVERY_MS) setTimeout(start, EVERY_MS)
    else setImmediate(start)
  }

  #start(batch: Batch): void {
    const done = () => {
      this.#readings -= 1
      if (this.#next !== undefined) this.#startSoon(this.#next)
    }
    this.#startedAt = performance.now()
    this.#next = undefined
    batch.start()
    batch.answer.then(done, done)
  }

  async #read(
    ids: ReadonlySet<string>,
    slugs: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, LiveRevision>> {
    const [byId, bySlug] = await Promise.all([
      this.#list('workspace_id', ids),
      this.#list('workspace_slug', slugs),
    ])
    return new Map([
      ...byId.map((one) => [one.workspaceId, one] as const),
      ...bySlug.map((one) => [SLUG + one.workspaceSlug, one] as const),
    ])
  }

  #list(by: WorkspaceKey, values: ReadonlySet<string>): Promise<LiveRevision[]> | LiveRevision[] {
    return values.size === 0 ? [] : this.#store.listRevisions(by, [...values])
  }
}
