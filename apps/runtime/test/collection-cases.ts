import { expect } from 'vitest'

export type CollectionCall = readonly [name: string, parameters: Record<string, unknown>]

interface Step {
  readonly call: CollectionCall
  /** What it answers, where that matters. */
  readonly gives?: unknown
}

const step = (name: string, parameters: Record<string, unknown>, gives?: unknown): Step => ({
  call: [name, parameters],
  gives,
})

const collection = 'things'
const add = (...data: Record<string, unknown>[]) => step('bulkCreate', { collection, data })
const schema = (given: Record<string, unknown>, gives?: unknown) =>
  step('updateSchema', { collection, ...given }, gives)
const find = (opts: Record<string, unknown>, gives: unknown, query = {}) =>
  step('findMany', { collection, query, opts }, gives)
const ids = (...each: string[]) => each.map((id) => expect.objectContaining({ id }))
const having = (...each: Record<string, unknown>[]) => each.map((one) => expect.objectContaining(one))
const saying = (text: string) => expect.stringContaining(text)
const sum = (field: string) => ({ type: 'sum', inputField: field, outputField: 'sum' })
const avg = (field: string) => ({ type: 'avg', inputField: field, outputField: 'avg' })
const n = { type: 'count', outputField: 'n' }

/** A value of each kind, in their order. */
const KINDS: Record<string, unknown>[] = [
  { id: 'nothing' },
  { id: 'null', v: null },
  { id: 'less', v: -1.5 },
  { id: 'ten', v: 10 },
  { id: 'empty', v: '' },
  { id: 'digits', v: '9' },
  { id: 'upper', v: 'Z' },
  { id: 'lower', v: 'a' },
  { id: 'accent', v: 'é' },
  { id: 'last', v: '\uFFFD' },
  { id: 'beyond', v: '😀' },
  { id: 'object', v: { aa: 1, b: 1e-7 } },
  { id: 'other', v: { b: 2 } },
  { id: 'longer', v: [1, 'a', 2] },
  { id: 'list', v: [1, 'a'] },
  { id: 'false', v: false },
  { id: 'true', v: true },
]
const idsOfKinds = KINDS.map(({ id }) => String(id))
const valuesOfKinds = KINDS.slice(1).map(({ v }) => v)
/** Those alike stand by their ids, whatever the direction. */
const backwards = [...idsOfKinds.slice(2).reverse(), 'nothing', 'null']

/** What collections promise, wherever they are kept. */
export const collectionCases: Readonly<Record<string, readonly Step[]>> = {
  'records are found in the order in which they were added': [
    add({ n: 1 }, { n: 2 }, { n: 3 }),
    step('create', { collection, data: { n: 4 } }),
    step('bulkUpsert', { collection, data: [{ n: 5 }, { n: 6 }], onConflictFields: ['n'] }),
    find({}, having({ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 5 }, { n: 6 })),
    step('updateOne', { collection, data: { seen: true } }, expect.objectContaining({ n: 1 })),
    step('deleteOne', { collection, query: { n: { $gt: 1 } } }, { count: 1 }),
    find({ fields: ['n'], skip: 1, limit: 1 }, having({ n: 3 })),
  ],
  'records with ids of their own are found by these': [
    add({ id: 'b' }, { id: '😀' }, { id: 'a' }, { id: 'B' }, { id: '\uFFFD' }, { id: 'é' }, { id: 10 }),
    find({}, ids('10', 'B', 'a', 'b', 'é', '\uFFFD', '😀')),
  ],
  'values of all kinds have an order': [
    add(...KINDS.toReversed()),
    find({ sort: { v: 1, id: 1 } }, ids(...idsOfKinds)),
    find({ sort: { v: -1 } }, ids(...backwards)),
    find({ sort: { v: 1 }, limit: 3, page: 2, skip: 1 }, ids('empty', 'digits', 'upper')),
    step('distinct', { collection, field: 'id' }, [...idsOfKinds].sort()),
  ],
  'a sort reads places inside': [
    add({ id: 'a', l: [2, 1], o: { b: 1 } }, { id: 'b', l: [1], o: { b: 0 } }, { id: 'c', l: 'text' }),
    find({ sort: { 'l.0': 1 } }, ids('c', 'b', 'a')),
    find({ sort: { 'l.-1': -1 } }, ids('a', 'b', 'c')),
    find({ sort: { 'l.length': 1, 'o.b': 1 } }, ids('c', 'b', 'a')),
  ],
  'groups come in the order of their values, and one without a value last': [
    add({ g: 'b' }, { g: null }, { g: 'a' }, {}, { g: 'c' }, { g: 'B' }, { g: 'a' }),
    step('aggregate', { collection, groupBy: 'g', steps: [n] }, [
      { g: 'B', n: 1 },
      { g: 'a', n: 2 },
      { g: 'b', n: 1 },
      { g: 'c', n: 1 },
      { g: null, n: 2 },
    ]),
  ],
  'groups of all kinds have an order': [
    add(...KINDS.toReversed()),
    step('aggregate', { collection, groupBy: ['v'], steps: [n] }, [
      ...valuesOfKinds.slice(1).map((v) => ({ v, n: 1 })),
      { v: null, n: 2 },
    ]),
  ],
  'groups of several properties are told apart by all': [
    add({ a: 1, b: { x: 1, y: 2 } }, { a: 1, b: { y: 2, x: 1 } }, { b: 1 }, { a: 1 }, { a: 0, b: [1] }),
    step('aggregate', { collection, groupBy: ['a', 'b.x'], steps: [n] }, [
      { a: 0, 'b.x': null, n: 1 },
      { a: 1, 'b.x': 1, n: 2 },
      { a: 1, 'b.x': null, n: 1 },
      { a: null, 'b.x': null, n: 1 },
    ]),
    step('aggregate', { collection, groupBy: 'b', steps: [n], query: { a: 1 } }, [
      { b: { x: 1, y: 2 }, n: 2 },
      { b: null, n: 1 },
    ]),
  ],
  'different values have an order as well': [
    add(...KINDS.toReversed(), { id: 'again', v: [[9], 10, { b: 1e-7, aa: 1 }] }),
    step('distinct', { collection, field: 'v' }, [
      null,
      -1.5,
      1,
      2,
      10,
      ...['', '9', 'Z', 'a', 'é', '\uFFFD', '😀'],
      ...[{ aa: 1, b: 1e-7 }, { b: 2 }, [9], false, true],
    ]),
    step('distinct', { collection, field: 'v', opts: { count: 'true', sort: -1 }, query: { v: 10 } }, [
      { value: [9], count: 1 },
      { value: { aa: 1, b: 1e-7 }, count: 1 },
      { value: 10, count: 2 },
    ]),
  ],
  'different values are found inside lists': [
    add({ l: [{ a: 1 }, { a: [2, [3]] }, [{ a: 4 }]], o: { 0: 'key' } }),
    step('distinct', { collection, field: 'l.a' }, [1, 2, [3]]),
    step('distinct', { collection, field: 'l.0' }, []),
    step('distinct', { collection, field: 'o.0' }, ['key']),
  ],
  'numbers are added exactly': [
    add({ v: 0.1, w: 1 }, { v: 0.2, w: 2 }, { v: 'x', w: 2 }, { v: 1e-7 }, { v: null }),
    step('aggregate', { collection, steps: [sum('v'), avg('w')] }, [
      { sum: 0.3000001, avg: 1.6666666666666667 },
    ]),
    step('aggregate', { collection, query: { v: 'x' }, steps: [sum('v'), avg('v')] }, [
      { sum: 0, avg: null },
    ]),
  ],
  'means are the nearest numbers': [
    ...[0.1, 7, 123_456.789, 1e21, 1e-9, 99_999, 3_333].map((v) =>
      step('create', { collection, data: { v } }),
    ),
    step('aggregate', { collection, steps: [avg('v')] }),
    ...[1e20, 1000, 1, 0.01].map((most) =>
      step('aggregate', { collection, query: { v: { $lt: most } }, steps: [avg('v')] }),
    ),
  ],
  'the least and the greatest are of numbers, or else of texts': [
    add({ v: 'Z', w: '\uFFFD' }, { v: 2, w: '😀' }, { v: 10 }, { v: [1] }),
    step(
      'aggregate',
      {
        collection,
        steps: [
          { type: 'min', inputField: 'v', outputField: 'min' },
          { type: 'max', inputField: 'w', outputField: 'max' },
          { type: 'max', inputField: 'none', outputField: 'none' },
          { type: 'count', inputField: 'v', outputField: 'n' },
        ],
      },
      [{ min: 2, max: '😀', none: null, n: 4 }],
    ),
  ],
  'a collection that is not there is as an empty one': [
    find({}, []),
    step('findOne', { collection }, null),
    step('findAndCount', { collection }, { items: [], count: 0 }),
    step('aggregate', { collection, steps: [sum('v'), n] }, [{ sum: 0, n: 0 }]),
    step('aggregate', { collection, groupBy: 'g', steps: [n] }, []),
    step('inferCollectionSchema', { collection }, { collection, properties: {} }),
    step('listCollections', {}, []),
    step('deleteMany', { collection, query: { a: 1 } }, { count: 0 }),
    step('aggregate', { collection, steps: [sum('v'), n] }, [{ sum: 0, n: 0 }]),
    step('listCollections', {}, having({ collection })),
  ],
  'nothing to write is nothing written': [
    step('bulkCreate', { collection, data: [] }, []),
    step('bulkUpsert', { collection, data: [], onConflictFields: ['id'] }, []),
    step('deleteCollections', { collections: [] }, { count: 0 }),
    step('listCollections', {}, []),
    add({ id: 'a' }),
    step('updateMany', { collection, query: { id: { $in: [] } }, data: { a: 1 } }, { count: 0 }),
    step('deleteMany', { collection, query: { id: { $in: [] } } }, { count: 0 }),
    step('deleteMany', { collection, query: { $or: [] } }, { count: 0 }),
    find({ fields: [] }, [{ id: 'a' }], { id: { $nin: [] } }),
  ],
  'what is shown has the order of what is kept': [
    add({ id: 'a', long: 1, b: { zz: 1, y: [{ bb: 1, c: 2 }] }, 7: 1 }),
    find({}, [expect.anything()]),
    find({ fields: ['b.y', 'long'] }, [{ id: 'a', long: 1, b: { zz: 1, y: [{ bb: 1, c: 2 }] } }]),
    find({ fields: { b: 0, createdAt: false, updatedAt: 0 } }, [{ id: 'a', long: 1, 7: 1 }]),
    step('updateOne', { collection, data: { $push: { b: 1 } } }, saying('needs a list')),
    step('updateOne', { collection, data: { z: 1, a: 1 } }),
  ],
  'what is written in one call is written whole or not at all': [
    schema({ uniques: ['v'] }),
    add({ v: 1 }),
    step('bulkCreate', { collection, data: [{ v: 2 }, { v: 1 }] }, saying('the same v')),
    step(
      'bulkUpsert',
      {
        collection,
        data: [
          { k: 1, v: 2 },
          { k: 2, v: 1 },
        ],
        onConflictFields: ['k'],
      },
      saying('the same v'),
    ),
    step(
      'bulkUpsert',
      { collection, data: [{ k: 1 }, {}], onConflictFields: ['k'] },
      saying('must have a value'),
    ),
    step('count', { collection }, 1),
    schema({ properties: { v: { type: 'string' } }, uniques: [] }, saying('must be of type string')),
    step('getCollectionSchemas', {}, [
      { collection, properties: {}, indexes: [], uniques: [{ properties: ['v'] }] },
    ]),
  ],
  'what does not fit is told before what is there already': [
    schema({ properties: { v: { type: 'number', nullable: false } }, uniques: ['v', 'w'] }),
    add({ id: 'a', v: 1, w: 1 }),
    step('bulkCreate', { collection, data: [{ v: 1 }, { v: 'x' }] }, saying('must be of type number')),
    step('bulkCreate', { collection, data: [{ v: 1 }, { v: 2, w: [] }] }, saying('a list can’t be')),
    step('create', { collection, data: { id: 'a', v: 1, w: 1 } }, saying('the same id')),
    step('create', { collection, data: { v: 1, w: 1 } }, saying('the same v')),
    step('create', { collection, data: { v: 2, w: 1 } }, saying('the same w')),
    schema({ uniques: ['w'] }),
    schema({ uniques: ['w', 'v'] }),
    step('create', { collection, data: { v: 1, w: 1 } }, saying('the same v')),
    step('create', { collection, data: {} }, saying('is missing')),
  ],
  'unique values pass from one record to another': [
    schema({ uniques: ['v', ['v', 'w']] }),
    add({ id: 'a', v: 1, w: 1 }, { id: 'b', v: 2, w: 1 }, { id: 'c', v: 3, w: 1 }, { id: 'd', v: 9, w: 1 }),
    step('updateMany', { collection, query: { v: { $lt: 9 } }, data: { $inc: { v: 1 } } }, { count: 3 }),
    step('updateMany', { collection, query: { v: { $lt: 9 } }, data: { $inc: { v: -1 } } }, { count: 3 }),
    find({}, having({ v: 1 }, { v: 2 }, { v: 3 }, { v: 9 })),
    step('updateMany', { collection, data: { v: 5 } }, saying('the same v')),
    step('updateMany', { collection, query: { id: 'a' }, data: { v: 9 } }, saying('the same v')),
    step('create', { collection, data: { v: 3 } }, saying('the same v')),
  ],
  'a unique property gives way to another with the same values': [
    schema({ uniques: ['v'] }),
    add({ id: 'a', v: 1, w: 3 }, { id: 'b', v: 2, w: 1 }, { id: 'c', v: 3, w: 2 }),
    schema({ uniques: ['w'] }, expect.objectContaining({ uniques: [{ properties: ['w'] }] })),
    step('create', { collection, data: { v: 1, w: 4 } }, expect.objectContaining({ w: 4 })),
    step('create', { collection, data: { v: 9, w: 1 } }, saying('the same w')),
  ],
  'an upsert looks for values, whatever they are': [
    add({ k: { a: 1 }, n: 1 }, { k: ['x'], n: 2 }, { k: true, n: 3 }),
    step('upsert', { collection, data: { k: { a: 1 }, seen: 1 }, onConflictFields: ['k'] }),
    step('upsert', { collection, data: { k: ['x'], seen: 1 }, onConflictFields: ['k'] }),
    step('upsert', { collection, data: { k: false }, onConflictFields: ['k'], onInsertValues: { n: 4 } }),
    step('upsert', { collection, data: { k: 1, $inc: { n: 1 } }, onConflictFields: ['k'] }, saying('"$inc"')),
    find({ sort: { n: 1 } }, having({ n: 1, seen: 1 }, { n: 2, seen: 1 }, { n: 3 }, { n: 4 })),
  ],
  'changes keep what they do not name': [
    add({ id: 'a', tags: ['x'], deep: { er: 1 } }),
    step('updateOne', {
      collection,
      data: { $addToSet: { tags: { $each: ['x', 'y'] } }, $set: { 'deep.b': 2 } },
    }),
    step('updateOne', {
      collection,
      data: { $pull: { tags: 'x' }, $unset: { 'deep.er': 1 }, $inc: { n: 2 } },
    }),
    step('updateOne', { collection, data: { $mul: { n: 2 } } }, saying('There is no change "$mul"')),
    step('updateMany', { collection, query: { a: undefined }, data: {} }),
    find({}, having({ tags: ['y'], deep: { b: 2 }, n: 2 })),
  ],
  'collections are told by their names': [
    step('create', { collection: 'b', data: { text: 'é', at: '2026-01-01' } }),
    step('create', { collection: 'a', data: {} }),
    step('create', { collection: 'B', data: {} }),
    step('listCollections', {}, having({ collection: 'B' }, { collection: 'a' }, { collection: 'b' })),
    step(
      'getCollectionSchemas',
      { collections: ['b', 'none', 'a', 'b'] },
      having({ collection: 'a' }, { collection: 'b' }),
    ),
    step(
      'getCollectionStats',
      { collections: ['b', 'a'] },
      having({ collection: 'a', records: 1 }, { records: 1 }),
    ),
    step(
      'inferCollectionSchema',
      { collection: 'b' },
      {
        collection: 'b',
        properties: { at: { type: 'date', nullable: false }, text: { type: 'string', nullable: false } },
      },
    ),
    step('deleteCollections', { collections: ['a', 'a', 'none'] }, { count: 1 }),
    step('listCollections', {}, having({ collection: 'B' }, { collection: 'b' })),
  ],
}
