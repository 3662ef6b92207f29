import { type Broker, type KnownInstallation, openBroker, selectEvents } from '@platform/broker'
import { type Cache, openCache } from '@platform/cache'
import { type Database, openDatabase } from '@platform/database'
import { Deadline } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { type EventLimits, type Outbox, openOutbox } from '@platform/outbox'
import { type Log, openLog, openSearchIndex, type SearchIndex } from '@platform/search'
import { pause } from './pause.ts'
import { exposeDatabase, exposeLag } from './store-metrics.ts'
import { StoreNotices } from './store-notices.ts'

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
  /** Shows every store that does not answer when it is opened. */
  readonly notices: StoreNotices
  /** Which database this is, once it is known: brokers that are opened from then on refuse what another one wrote. */
  installation: KnownInstallation | undefined

  /**
   * `development` accepts a database server that may lose committed data at a power cut, and fails transactions that
   * wait for something else; `run` sets it for NODE_ENV=test only. `report` shows an operator a store that is
   * waited for; without it the log does.
   */
  constructor(log: Logger, options: { development: boolean; report?: (sentence: string) => void }) {
    this.#log = log
    this.#development = options.development
    const logged = (reason: string) => log.warn({ reason }, 'a store does not answer, it is waited for')
    this.notices = new StoreNotices(options.report ?? logged)
  }

  database(url: string): Promise<Database> {
    return this.#once(url, async () => {
      const database = await openDatabase(url, {
        log: (message) => this.#log.info(message),
        warn: (message) => this.notices.note('DatabaseError', message),
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
      const log = this.#log.child({ part: 'broker' })
      const broker = await openBroker(url, { database, log, installation: this.installation })
      this.#stack.use(exposeLag(database))
      this.#watch((signal) => broker.ping(signal))
      return broker
    })
  }

  /** The outbox of a database; relays to the broker where that is another system. */
  outbox(brokerUrl: string, databaseUrl: string, limits?: EventLimits): Promise<Outbox & AsyncDisposable> {
    return this.#once(`outbox ${brokerUrl} ${databaseUrl}`, async () => {
      const database = await this.database(databaseUrl)
      const broker = await this.broker(brokerUrl, databaseUrl)
      return openOutbox({ database, broker, log: this.#log.child({ part: 'outbox' }), ...limits })
    })
  }

  /** The log of all kept events, in the schema `search` of a database. */
  log(databaseUrl: string): Promise<Log> {
    return this.#once(`log ${databaseUrl}`, async () =>
      openLog(await this.database(databaseUrl), selectEvents),
    )
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
    this.#stack.use(watchStore(probe, (error) => this.notices.report(error)))
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

/** Before that a client that connects behind could not say why it has not. */
const FIRST_MS = 400
const EVERY_MS = 1000
/** Every driver gives up before this; a silent store is reported within three seconds. */
const PROBE_MS = 2400

/**
 * Asks a store that was opened until it has answered once, and reports each failure. Most clients connect in the
 * background and do not report anything.
 */
function watchStore(
  probe: (signal: AbortSignal) => Promise<unknown>,
  report: (error: unknown) => void,
): Disposable {
  const closing = new AbortController()
  void untilAnswered(probe, report, closing.signal)
  return { [Symbol.dispose]: () => closing.abort() }
}

async function untilAnswered(
  probe: (signal: AbortSignal) => Promise<unknown>,
  report: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let waitMs = FIRST_MS; !signal.aborted; waitMs = EVERY_MS) {
    await pause(waitMs, signal, { background: true })
    if (signal.aborted) return
    try {
      using deadline = new Deadline(PROBE_MS, signal)
      await probe(deadline.signal)
      return
    } catch (error) {
      if (!signal.aborted) report(error)
    }
  }
}
