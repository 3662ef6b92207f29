import { type Broker, openBroker } from '@platform/broker'
import { type Cache, openCache } from '@platform/cache'
import { type Database, openDatabase } from '@platform/database'
import type { Logger } from '@platform/logging'
import { type EventLimits, type Outbox, openOutbox } from '@platform/outbox'
import { type Log, openLog, openSearchIndex, type SearchIndex } from '@platform/search'
import { exposeDatabase, exposeLag } from './store-metrics.ts'
import { StoreNotices } from './store-notices.ts'
import { watchStore } from './watch-store.ts'

type SearchIndexOptions = Omit<NonNullable<Parameters<typeof openSearchIndex>[1]>, 'log'>

/**
 * Opens each URL once per process, and closes all in reverse order. `postgres:` without a host is the database of the
 * service.
 */
export class Resources implements AsyncDisposable {
  readonly #opened = new Map<string, Promise<AsyncDisposable>>()
  readonly #stack = new AsyncDisposableStack()
  readonly #log: Logger
  readonly #development: boolean
  /** Told about every store that does not answer when it is opened. */
  readonly notices: StoreNotices

  /**
   * `development` accepts a database server that may lose committed data at a power cut, and fails transactions that
   * wait for something else; `run` sets it for NODE_ENV=test only. `tell` is how an operator hears of a store that is
   * waited for; without it the log does.
   */
  constructor(log: Logger, options: { development: boolean; tell?: (sentence: string) => void }) {
    this.#log = log
    this.#development = options.development
    const logged = (reason: string) => log.warn({ reason }, 'a store does not answer, it is waited for')
    this.notices = new StoreNotices(options.tell ?? logged)
  }

  database(url: string): Promise<Database> {
    return this.#once(url, async () => {
      const database = await openDatabase(url, {
        log: (message) => this.#log.info(message),
        warn: (message) => this.notices.say('DatabaseError', message),
        onFailure: (failure, message) => this.#log.warn(failure, message),
        allowWeakDurability: this.#development,
        guardTransactions: this.#development,
      })
      this.#stack.use(exposeDatabase(database))
      this.#watch((signal) => database.ping(signal))
      return database
    })
  }

  cache(url: string): Promise<Cache> {
    return this.#once(url, async () => {
      const cache = await openCache(url)
      this.#watch((signal) => cache.probe(signal))
      return cache
    })
  }

  broker(url: string, databaseUrl: string): Promise<Broker> {
    return this.#once(`broker ${url} ${databaseUrl}`, async () => {
      const database = await this.database(databaseUrl)
      const broker = await openBroker(url, { database, log: this.#log.child({ part: 'broker' }) })
      this.#stack.use(exposeLag(database))
      this.#watch((signal) => broker.ping(signal))
      return broker
    })
  }

  /** The outbox of a database; relays to the broker where that is another system. */
  outbox(brokerUrl: string, databaseUrl: string, limits?: EventLimits): Promise<Outbox & AsyncDisposable> {
    return this.#once(`outbox ${brokerUrl} ${databaseUrl}`, async () => {
      const [database, broker] = [await this.database(databaseUrl), await this.broker(brokerUrl, databaseUrl)]
      return openOutbox({ database, broker, log: this.#log.child({ part: 'outbox' }), ...limits })
    })
  }

  /** The log of all kept events, in the schema `search` of a database. */
  log(databaseUrl: string): Promise<Log> {
    return this.#once(`log ${databaseUrl}`, async () => openLog(await this.database(databaseUrl)))
  }

  /**
   * The index that a URL names; undefined for `postgres:`, where the log itself is searched. The options are those of
   * who asks first.
   */
  async searchIndex(url: string, options: SearchIndexOptions = {}): Promise<SearchIndex | undefined> {
    if (/^postgres(ql)?:/.test(url)) return undefined
    const log = this.#log.child({ part: 'search' })
    return await this.#once(`index ${url}`, async () => {
      const index = await openSearchIndex(url, { ...options, log: { info: (message) => log.info(message) } })
      this.#watch(() => index.shardBudget())
      return index
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // What is still being opened is waited for: closed before it is there, it would stay behind.
    await Promise.allSettled(this.#opened.values())
    await this.#stack.disposeAsync()
  }

  #watch(probe: (signal: AbortSignal) => Promise<unknown>): void {
    this.#stack.use(watchStore(probe, (error) => this.notices.tell(error)))
  }

  #once<T extends AsyncDisposable>(key: string, open: () => Promise<T>): Promise<T> {
    const known = this.#opened.get(key) as Promise<T> | undefined
    if (known !== undefined) return known
    const opening = open().then((resource) => this.#stack.use(resource))
    this.#opened.set(key, opening)
    // Opening that failed is tried again by the next who asks.
    opening.catch(() => this.#opened.delete(key))
    return opening
  }
}
