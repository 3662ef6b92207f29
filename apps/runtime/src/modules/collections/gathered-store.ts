import { type Database, type GroupCommit, groupCommit } from '@platform/database'
import { FairPlaces } from '@platform/kernel'
import { type Collection, SMALL, type StoredRecord } from './collection-store.ts'
import { findByKeys, insertBeside } from './entering-store.ts'
import type { UniqueKey } from './query-store.ts'
import type { Data } from './record.ts'

/** What one caller asks of a collection. */
interface Asked {
  readonly signal: AbortSignal
  /** Its statement is under way: from then on the caller waits for what becomes of it. */
  isBegun: boolean
}

interface Lookup extends Asked {
  readonly key: string
  found: Data | undefined
}

interface Addition extends Asked {
  readonly record: StoredRecord
  isAdded: boolean
}

interface Groups {
  readonly lookups: Map<string, GroupCommit<Lookup>>
  readonly additions: GroupCommit<Addition>
}

/** Together their answer is no longer than that of a small page. */
const LOOKUPS = { maxItems: SMALL, maxInFlight: 1 }
const ADDITIONS = { maxItems: 100, maxInFlight: 1, sizeOf: ({ record }: Addition) => record.text.length }
/** Characters of a record that others are not to wait for. */
const LARGE = 50_000
/** Statements under way, of one workspace and of all: none of them takes long, so nobody waits long for a place. */
const PLACES = { each: 2, all: 3 }
/** The place is for many, whose runs may end one by one. */
const NEVER = new AbortController().signal

/**
 * What many callers ask of one collection at the same time, each for one record that an index leads to: one statement
 * asks for all that came while the one before was under way. To send it, to start it and to take its answer costs
 * several times what a record does (docs/adr/0068).
 */
export class GatheredStatements {
  readonly #database: Database
  readonly #places = new FairPlaces(PLACES)
  /** By what is known of a collection: with another schema it is another one. */
  readonly #groups = new WeakMap<Collection, Groups>()

  constructor(database: Database) {
    this.#database = database
  }

  /** The record that has a unique value. Throws StaleSchema. */
  async find(
    collection: Collection,
    { column, key }: UniqueKey,
    signal: AbortSignal,
  ): Promise<Data | undefined> {
    const { lookups } = this.#groupsOf(collection)
    let group = lookups.get(column)
    if (group === undefined) {
      group = groupCommit((asked) => this.#look(collection, column, asked), LOOKUPS)
      lookups.set(column, group)
    }
    const lookup = { signal, isBegun: false, key, found: undefined }
    await untilBegun(group, lookup)
    return lookup.found
  }

  /** Adds a record; false where it is large, or something in it may have to be refused. Throws StaleSchema. */
  async insert(collection: Collection, record: StoredRecord, signal: AbortSignal): Promise<boolean> {
    if (record.text.length > LARGE) return false
    const addition = { signal, isBegun: false, record, isAdded: false }
    await untilBegun(this.#groupsOf(collection).additions, addition)
    return addition.isAdded
  }

  #groupsOf(collection: Collection): Groups {
    const known = this.#groups.get(collection)
    if (known !== undefined) return known
    const additions = groupCommit((asked: Addition[]) => this.#add(collection, asked), ADDITIONS)
    const groups = { lookups: new Map<string, GroupCommit<Lookup>>(), additions }
    this.#groups.set(collection, groups)
    return groups
  }

  #look(collection: Collection, column: string, asked: readonly Lookup[]): Promise<void> {
    return this.#inPlace(collection, async () => {
      const lookups = begun(asked)
      if (lookups.length === 0) return
      const keys = lookups.map(({ key }) => key)
      const found = await findByKeys(this.#database, collection, column, keys)
      for (const [at, lookup] of lookups.entries()) lookup.found = found[at]
    })
  }

  #add(collection: Collection, asked: readonly Addition[]): Promise<void> {
    return this.#inPlace(collection, async () => {
      // Of several with the same id one is added at most: the others ask alone, and are told so.
      const additions = new Map(begun(asked).map((one) => [one.record.id, one]))
      if (additions.size === 0) return
      const records = [...additions.values()].map(({ record }) => record)
      const added = await insertBeside(this.#database, collection, records)
      for (const [id, addition] of additions) addition.isAdded = added.has(id)
    })
  }

  async #inPlace({ workspaceId }: Collection, work: () => Promise<void>): Promise<void> {
    const giveBack = await this.#places.take(workspaceId, NEVER)
    try {
      await work()
    } finally {
      giveBack()
    }
  }
}

/** Those whose callers still wait. */
function begun<One extends Asked>(asked: readonly One[]): One[] {
  const waiting = asked.filter(({ isBegun, signal }) => isBegun || !signal.aborted)
  for (const one of waiting) one.isBegun = true
  return waiting
}

/** A caller whose run is over before its statement begins goes on at once, and nothing is done for it. */
function untilBegun<One extends Asked>(group: GroupCommit<One>, one: One): Promise<void> {
  const { signal } = one
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const abort = () => {
      if (!one.isBegun) reject(signal.reason)
    }
    signal.addEventListener('abort', abort)
    const stop = () => signal.removeEventListener('abort', abort)
    group.add(one).then(
      () => {
        stop()
        resolve()
      },
      (error: unknown) => {
        stop()
        reject(error)
      },
    )
  })
}
