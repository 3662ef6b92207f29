import { Failure } from '@platform/kernel'
import type { OutsideEffect } from '../../automations/model.ts'
import { keptAnswer } from '../kept-answer.ts'
import type { FunctionsOf, ModuleCall } from '../module.ts'
import { type Collection, collectionStore } from './collection-store.ts'
import { exactCondition, type FindOptions, findFew, findPage, type Query } from './finds.ts'
import { aggregate, aggregateOfNone, distinctValues } from './group-store.ts'
import type { Data } from './record.ts'
import { changeSchema, inferProperties, shownSchema } from './schemas.ts'
import type { WorkspaceRecords } from './workspace-records-store.ts'
import {
  CHANGED_MAX,
  deleteFitting,
  newRecords,
  stored,
  updateFitting,
  upsertOne,
  type Writing,
} from './writes.ts'

type Reading = Parameters<Parameters<WorkspaceRecords['read']>[3]>[0]

function recordsOf({ stores }: ModuleCall): WorkspaceRecords {
  if (stores === undefined) throw new Error('The automation was compiled without the stores of modules.')
  return stores.collections
}

/** Reads of a collection; of one that is not there `empty` is the answer. */
const reads = <T>(
  call: ModuleCall,
  name: string,
  empty: T,
  work: (tx: Reading, collection: Collection) => Promise<T>,
  isLong = false,
): Promise<T> => {
  const { run } = call.frame
  const ask = (effect: OutsideEffect) =>
    recordsOf(call).read(
      run,
      name,
      effect,
      async (tx, collection) => (collection === undefined ? empty : await work(tx, collection)),
      { isLong },
    )
  return keptAnswer(call, ask, { onlyReads: true })
}

/** In one statement where that can be, and else in a transaction. */
const finds = (
  call: ModuleCall,
  name: string,
  query: Query | undefined,
  opts: FindOptions | undefined,
): Promise<Data[]> => {
  const { run } = call.frame
  const records = recordsOf(call)
  const inTransaction = (effect: OutsideEffect) =>
    records.read<Data[]>(run, name, effect, async (tx, collection) =>
      collection === undefined ? [] : await findPage(tx, collection, query, opts, run.options),
    )
  const ask = async (effect: OutsideEffect) =>
    (await records.readAlone(run, name, effect, (collection, statements) =>
      findFew(collection, statements, query, opts, run.options),
    )) ?? (await inTransaction(effect))
  return keptAnswer(call, ask, { onlyReads: true })
}

const writes = <T>(
  call: ModuleCall,
  name: string,
  work: (writing: Writing) => Promise<T>,
  how: { readonly isLong?: boolean; readonly alone?: boolean } = {},
): Promise<T> => {
  const { run } = call.frame
  const { parts } = recordsOf(call)
  return keptAnswer(call, (effect) =>
    recordsOf(call).write(
      run,
      name,
      effect,
      (tx, collection) =>
        work({ tx, collection, options: run.options, now: parts.clock.now(), maxRecords: parts.maxRecords }),
      how,
    ),
  )
}

/** Adds records, all or none. */
const adds = <T>(
  call: ModuleCall,
  name: string,
  given: readonly Data[],
  answerOf: (added: readonly Data[]) => T,
): Promise<T> => {
  const { run } = call.frame
  const { clock, maxRecords } = recordsOf(call).parts
  return keptAnswer(call, (effect) =>
    recordsOf(call).insert(run, name, effect, (collection) => {
      const added = newRecords({ collection, now: clock.now(), maxRecords }, given)
      return { records: added.map((one) => stored(collection, one)), answer: answerOf(added) }
    }),
  )
}

/** Asks of all collections of the workspace. */
const asks = <T>(call: ModuleCall, work: (tx: Reading, workspaceId: string) => Promise<T>): Promise<T> => {
  const { run } = call.frame
  return keptAnswer(call, (effect) => recordsOf(call).ask(run, effect, (tx) => work(tx, run.workspace.id)), {
    onlyReads: true,
  })
}

const countOf = (call: ModuleCall, collection: string, query: Query | undefined): Promise<number> =>
  reads(call, collection, 0, async (tx, known) =>
    collectionStore(tx).count(known, await exactCondition(tx, known, query, call.frame.run.options)),
  )

/** `collections`: records in PostgreSQL, of one workspace. */
export const collectionFunctions: FunctionsOf<'collections'> = {
  create: ({ collection, data }, call) => adds(call, collection, [data], ([added]) => added),
  async bulkCreate({ collection, data }, call) {
    return data.length === 0 ? [] : await adds(call, collection, data, (added) => added)
  },

  async findOne({ collection, query, opts }, call) {
    const [first = null] = await finds(call, collection, query, { ...opts, limit: 1 })
    return first
  },
  findMany: ({ collection, query, opts }, call) => finds(call, collection, query, opts),
  findAndCount: ({ collection, query, opts }, call) =>
    reads<unknown>(call, collection, { items: [], count: 0 }, async (tx, known) => {
      const { options } = call.frame.run
      const items = await findPage(tx, known, query, opts, options)
      const where = await exactCondition(tx, known, query, options)
      return { items, count: await collectionStore(tx).count(known, where) }
    }),
  count: ({ collection, query }, call) => countOf(call, collection, query),
  distinct: ({ collection, ...asked }, call) =>
    reads<unknown[]>(call, collection, [], (tx, known) =>
      distinctValues(tx, known, asked, call.frame.run.options),
    ),
  aggregate: ({ collection, ...asked }, call) =>
    reads<unknown[]>(call, collection, aggregateOfNone(asked), (tx, known) =>
      aggregate(tx, known, asked, call.frame.run.options),
    ),

  updateOne: ({ collection, query, data }, call) =>
    writes(call, collection, async (writing) => (await updateFitting(writing, query, data, 1))[0] ?? null),
  updateMany: ({ collection, query, data }, call) =>
    writes(call, collection, async (writing) => ({
      count: (await updateFitting(writing, query, data, CHANGED_MAX)).length,
    })),
  upsert: ({ collection, data, ...how }, call) =>
    writes(call, collection, (writing) => upsertOne(writing, data, how)),
  async bulkUpsert({ collection, data, ...how }, call) {
    if (data.length === 0) return []
    return await writes(call, collection, async (writing) => {
      const done = []
      for (const one of data) done.push(await upsertOne(writing, one, how))
      return done
    })
  },
  deleteOne: ({ collection, query }, call) =>
    writes(call, collection, async (writing) => ({ count: await deleteFitting(writing, query, 1) })),
  deleteMany({ collection, query, allowMatchAll, overrideSecurity }, call) {
    if (Object.keys(query ?? {}).length === 0 && allowMatchAll !== true && overrideSecurity !== true)
      throw new Failure(
        'InvalidArgumentsError',
        'deleteMany without a query deletes all records: say so with allowMatchAll.',
      )
    return writes(call, collection, async (writing) => ({
      count: await deleteFitting(writing, query, CHANGED_MAX),
    }))
  },

  updateSchema: ({ collection, properties, indexes, uniques }, call) =>
    writes(
      call,
      collection,
      async (writing) =>
        shownSchema(
          collection,
          await changeSchema(writing.tx, writing.collection, { properties, indexes, uniques }),
        ),
      { isLong: true, alone: true },
    ),
  listCollections: (_, call) =>
    asks(call, async (tx, workspaceId) =>
      (await collectionStore(tx).list(workspaceId, undefined)).map(({ name, createdAt, updatedAt }) => ({
        collection: name,
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
      })),
    ),
  getCollectionSchemas: ({ collections }, call) =>
    asks(call, async (tx, workspaceId) =>
      (await collectionStore(tx).list(workspaceId, collections)).map(({ name, schema }) =>
        shownSchema(name, schema),
      ),
    ),
  getCollectionStats: ({ collections }, call) =>
    asks(call, (tx, workspaceId) => collectionStore(tx).stats(workspaceId, collections)),
  inferCollectionSchema: ({ collection }, call) =>
    reads(
      call,
      collection,
      { collection, properties: {} },
      async (tx, known) => ({
        collection,
        properties: inferProperties(await findPage(tx, known, undefined, { limit: 1000 })),
      }),
      true,
    ),
  deleteCollections({ collections }, call) {
    const { run } = call.frame
    return keptAnswer(call, (effect) =>
      recordsOf(call).writeAny(run, effect, collections, async (tx) => ({
        count: await collectionStore(tx).deleteCollections(run.workspace.id, collections),
      })),
    )
  },
}
