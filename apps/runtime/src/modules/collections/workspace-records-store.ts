import {
  type Database,
  DatabaseError,
  isUniqueViolation,
  type Queries,
  type Sql,
  sql,
} from '@platform/database'
import { atMost, type Clock, Failure, FairPlaces, uuidv7 } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { LRUCache } from 'lru-cache'
import type { OutsideEffect, RunState } from '../../automations/model.ts'
import { findEffect, insertEffect, writeOnce } from '../effect-store.ts'
import { emptySchema } from './collection-schema.ts'
import { type Collection, collectionStore, StaleSchema, type StoredRecord, told } from './collection-store.ts'
import { insertAlone } from './entering-store.ts'
import { GatheredStatements } from './gathered-store.ts'
import type { UniqueKey } from './query-store.ts'
import type { Data } from './record.ts'

export interface CollectionParts {
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
  /** Of one workspace. */
  readonly maxCollections: number
  /** Of one collection. */
  readonly maxRecords: number
}

/** Longest what changes or counts whole collections may take. */
const LONG_MS = 30_000
/** Calls under way, of one workspace and of all: others of the platform need connections as well. */
const PLACES = { each: 3, all: 5 }
const CACHED = { ...atMost(5000), ttl: 60_000 }
const TRIES = 5
/** What PostgreSQL says of a statement that took too long. */
const TOO_LONG = '57014'

const ROLE = 'platform_collections'

/** How much time a call may take. */
export interface Patience {
  readonly isLong?: boolean
}

/** What can be asked of a collection in one statement, and needs no transaction. */
export interface SingleStatements {
  findByKey(unique: UniqueKey): Promise<Data | undefined>
  ask<T>(statement: (queries: Queries) => Promise<T>): Promise<T>
}

/** Records of workspaces: each call sees those of one. */
export class WorkspaceRecords {
  readonly parts: CollectionParts
  readonly #places = new FairPlaces(PLACES)
  readonly #known = new LRUCache<string, Collection>(CACHED)
  readonly #gathered: GatheredStatements
  #role: Promise<boolean> | undefined

  constructor(parts: CollectionParts) {
    this.parts = parts
    this.#gathered = new GatheredStatements(parts.database)
  }

  /** True where the database itself keeps workspaces apart as well. */
  hasRole(): Promise<boolean> {
    this.#role ??= findRole(this.parts).catch((error: unknown) => {
      this.#role = undefined
      throw error
    })
    return this.#role
  }

  /** Asks with what is known of the collection, undefined where there is none; again when that has changed. */
  read<T>(
    { workspace }: RunState,
    name: string,
    { signal }: OutsideEffect,
    work: (tx: Queries, collection: Collection | undefined) => Promise<T>,
    patience: Patience = {},
  ): Promise<T> {
    return this.#inPlace(workspace.id, signal, async () => {
      for (let tries = 1; ; tries += 1) {
        const collection =
          this.#known.get(keyOf(workspace.id, name)) ?? (await this.#load(workspace.id, name))
        try {
          return await this.#within(workspace.id, (tx) => work(tx, collection), {
            readOnly: true,
            ...limitOf(patience),
          })
        } catch (error) {
          this.#forgetStale(error, workspace.id, name, tries)
        }
      }
    })
  }

  /**
   * Reads in one statement what the database can say by itself; undefined where it can't, or there is no collection
   * that is known to be as it was.
   */
  async readAlone<T>(
    { workspace }: RunState,
    name: string,
    effect: OutsideEffect,
    work: (collection: Collection, statements: SingleStatements) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const collection = this.#known.get(keyOf(workspace.id, name))
    if (collection === undefined) return undefined
    const statements: SingleStatements = {
      findByKey: (unique) => this.#gathered.find(collection, unique, effect.signal),
      ask: (statement) => this.#inPlace(workspace.id, effect.signal, () => statement(this.parts.database)),
    }
    try {
      return await explained(work(collection, statements))
    } catch (error) {
      this.#forgetStale(error, workspace.id, name, 1)
      return undefined
    }
  }

  /** Reads without any collection. */
  ask<T>(run: RunState, { signal }: OutsideEffect, work: (tx: Queries) => Promise<T>): Promise<T> {
    const limit = { readOnly: true, timeoutMs: LONG_MS }
    return this.#inPlace(run.workspace.id, signal, () => this.#within(run.workspace.id, work, limit))
  }

  /** Writes once in the name of an effect, to a collection that is made where there is none. */
  write<T>(
    run: RunState,
    name: string,
    effect: OutsideEffect,
    work: (tx: Queries, collection: Collection) => Promise<T>,
    { isLong = false, alone = false }: Patience & { readonly alone?: boolean } = {},
  ): Promise<T> {
    const { id } = run.workspace
    return this.#despiteChanges(id, name, effect.signal, async (collection) => {
      try {
        return await this.#inPlace(id, effect.signal, () =>
          this.#once(run, effect, collection, work, { isLong, alone }),
        )
      } finally {
        if (alone) this.#known.delete(keyOf(id, name))
      }
    })
  }

  /** Adds records once in the name of an effect, all or none, to a collection that is made where there is none. */
  insert<T>(
    run: RunState,
    name: string,
    effect: OutsideEffect,
    make: (collection: Collection) => { readonly records: readonly StoredRecord[]; readonly answer: T },
  ): Promise<T> {
    const { id } = run.workspace
    return this.#despiteChanges(id, name, effect.signal, async (collection) => {
      const { records, answer } = make(collection)
      const [first, ...others] = records
      // Of what may be done again its answer is to be kept, which others have nothing to do with.
      const isSmall = first !== undefined && others.length === 0 && !effect.mayRepeat
      if (isSmall && (await explained(this.#gathered.insert(collection, first, effect.signal)))) return answer
      return await this.#inPlace(id, effect.signal, () =>
        this.#insertOnce(run, effect, collection, records, answer),
      )
    })
  }

  async #insertOnce<T>(
    { runId }: RunState,
    { key, mayRepeat }: OutsideEffect,
    collection: Collection,
    records: readonly StoredRecord[],
    answer: T,
  ): Promise<T> {
    const { database } = this.parts
    const effect = { key, mayRepeat, runId }
    const kept = (source: Sql) => (mayRepeat ? insertEffect(effect, answer, source) : undefined)
    try {
      await insertAlone(database, collection, records, kept)
      return answer
    } catch (error) {
      // What is there already may be what this effect has added before.
      const before = isUniqueViolation(error) ? await findEffect(database, effect) : undefined
      if (before !== undefined) return before.answer as T
      return await explained(told(collection, Promise.reject(error)))
    }
  }

  /** Writes to a collection, which is made where there is none; again when it has changed meanwhile. */
  async #despiteChanges<T>(
    workspaceId: string,
    name: string,
    signal: AbortSignal,
    write: (collection: Collection) => Promise<T>,
  ): Promise<T> {
    const loadOrMake = async () =>
      (await this.#load(workspaceId, name)) ?? (await this.#make(workspaceId, name))
    for (let tries = 1; ; tries += 1) {
      const collection =
        this.#known.get(keyOf(workspaceId, name)) ?? (await this.#inPlace(workspaceId, signal, loadOrMake))
      try {
        return await write(collection)
      } catch (error) {
        this.#forgetStale(error, workspaceId, name, tries)
      }
    }
  }

  /** Writes once, whatever collections it is about; they are forgotten here. */
  writeAny<T>(
    run: RunState,
    effect: OutsideEffect,
    names: readonly string[],
    work: (tx: Queries) => Promise<T>,
  ): Promise<T> {
    const { id } = run.workspace
    return this.#inPlace(id, effect.signal, async () => {
      const enter = await this.#enter(id)
      const written = { key: effect.key, mayRepeat: effect.mayRepeat, runId: run.runId }
      const inside = async (tx: Queries) => {
        await tx.many(enter)
        return await work(tx)
      }
      for (const name of names) this.#known.delete(keyOf(id, name))
      return await explained(writeOnce(this.parts.database, written, inside, { timeoutMs: LONG_MS }))
    })
  }

  async #once<T>(
    run: RunState,
    { key, mayRepeat }: OutsideEffect,
    collection: Collection,
    work: (tx: Queries, collection: Collection) => Promise<T>,
    { isLong, alone }: { readonly isLong: boolean; readonly alone: boolean },
  ): Promise<T> {
    const enter = await this.#enter(run.workspace.id)
    const lock = alone
      ? sql`pg_advisory_xact_lock(hashtextextended(${collection.id}, 68))`
      : sql`pg_advisory_xact_lock_shared(hashtextextended(${collection.id}, 68))`
    const inside = async (tx: Queries) => {
      // It travels with what comes behind it.
      const entered = tx.many(sql`${enter}, ${lock}`)
      entered.catch(() => undefined)
      const result = await work(tx, collection)
      await entered
      return result
    }
    const written = { key, mayRepeat, runId: run.runId }
    return await explained(
      writeOnce(this.parts.database, written, inside, isLong ? { timeoutMs: LONG_MS } : {}),
    )
  }

  async #within<T>(
    workspaceId: string,
    work: (tx: Queries) => Promise<T>,
    options: { readonly readOnly?: boolean; readonly timeoutMs?: number },
  ): Promise<T> {
    const enter = await this.#enter(workspaceId)
    return await explained(
      this.parts.database.transaction(async (tx) => {
        const entered = tx.many(enter)
        entered.catch(() => undefined)
        const result = await work(tx)
        await entered
        return result
      }, options),
    )
  }

  /** From here to the end of the transaction only rows of this workspace are there. */
  async #enter(workspaceId: string) {
    return (await this.hasRole())
      ? sql`
        select set_config('platform.workspace', ${workspaceId}, true),
          set_config('role', ${ROLE}, true)`
      : sql`select set_config('platform.workspace', ${workspaceId}, true)`
  }

  async #load(workspaceId: string, name: string): Promise<Collection | undefined> {
    const found = await this.#within(workspaceId, (tx) => collectionStore(tx).find(workspaceId, name), {
      readOnly: true,
    })
    if (found !== undefined) this.#known.set(keyOf(workspaceId, name), found)
    return found
  }

  async #make(workspaceId: string, name: string): Promise<Collection> {
    const { maxCollections } = this.parts
    await this.#within(
      workspaceId,
      (tx) => collectionStore(tx).insert(workspaceId, uuidv7(), name, emptySchema, maxCollections),
      {},
    )
    const made = await this.#load(workspaceId, name)
    if (made !== undefined) return made
    throw new Failure(
      'InvalidArgumentsError',
      `The workspace has ${maxCollections} collections already: delete one before "${name}" is made.`,
      { details: { max: maxCollections } },
    )
  }

  async #inPlace<T>(workspaceId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const giveBack = await this.#places.take(workspaceId, signal)
    try {
      return await work()
    } finally {
      giveBack()
    }
  }

  #forgetStale(error: unknown, workspaceId: string, name: string, tries: number): void {
    if (!(error instanceof StaleSchema) || tries >= TRIES) throw error
    this.#known.delete(keyOf(workspaceId, name))
  }
}

const keyOf = (workspaceId: string, name: string): string => `${workspaceId} ${name}`

const limitOf = ({ isLong = false }: Patience): { timeoutMs?: number } =>
  isLong ? { timeoutMs: LONG_MS } : {}

/** What took too long is the query's fault, and no fault of the store. */
async function explained<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== TOO_LONG) throw error
    const message =
      'The collection took too long: ask for fewer records, or give it an index for what is asked.'
    throw new Failure('InvalidArgumentsError', message, { cause: error })
  }
}

async function findRole({ database, log }: CollectionParts): Promise<boolean> {
  const rows = await database.many(sql`
    select from pg_roles where rolname = ${ROLE} and pg_has_role(current_user, oid, 'member')
      and has_table_privilege(oid, 'runtime.records', 'select, insert')`)
  if (rows.length === 0)
    log.warn({ role: ROLE }, 'the database has no role that keeps collections apart, queries alone do')
  return rows.length > 0
}
