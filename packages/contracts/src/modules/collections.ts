import { z } from 'zod'
import { fields } from '../instructions/templated.ts'
import { flag, type ModuleDescription, numeric, text } from './module.ts'

/** Most records of one call, and most that one answer has. */
export const RECORDS_PER_CALL = 1000

/** Columns of the table of records that are indexes, and those that are unique. */
export const MAX_INDEXES = 8
export const MAX_UNIQUES = 4

export const collectionTypes = [
  'string',
  'text',
  'date',
  'time',
  'datetime',
  'number',
  'double',
  'float',
  'integer',
  'decimal',
  'boolean',
  'uint8array',
  'array',
  'enum',
  'enumArray',
  'json',
  'blob',
] as const
export type CollectionType = (typeof collectionTypes)[number]

const Name = text(100).refine((name) => /^[\w .:-]+$/.test(name), {
  message: 'must be 1–100 letters, digits, spaces and ._:-',
})

const NO_PROPERTY = 'must be 1–100 characters without a dot, and without $ at the beginning'
const PropertyName = z
  .string()
  .min(1)
  .max(100)
  .refine((name) => !/^\$|\.|^__proto__$/.test(name), { message: NO_PROPERTY })

/**
 * An object whose unknown words mean nothing: who saves one is told so, and where it stands instead; a run passes over
 * them.
 */
const knowing = <Shape extends z.ZodRawShape>(shape: Shape, elsewhere: Readonly<Record<string, string>>) =>
  z.strictObject(shape, {
    error(issue) {
      if (issue.code !== 'unrecognized_keys') return undefined
      const keys = issue.keys.slice(0, 5)
      const unknown = keys.map((key) => JSON.stringify(key.slice(0, 50))).join(', ')
      const hints = new Set(keys.flatMap((key) => (Object.hasOwn(elsewhere, key) ? [elsewhere[key]] : [])))
      return [`can’t have ${unknown}, only ${Object.keys(shape).join(', ')}`, ...hints].join(': ')
    },
  })

const everywhere = '`nullable: false` says that each record has the property'
const beside = 'uniques and indexes stand in `uniques` and `indexes` beside `properties`'
const listed = 'the values of an enum stand in `enum`'

/** What authors look for in a property, and where it stands. */
const MEANT: Readonly<Record<string, string>> = {
  required: everywhere,
  optional: everywhere,
  unique: beside,
  uniques: beside,
  index: beside,
  indexed: beside,
  indexes: beside,
  primaryKey: 'each record is known by its `id`',
  values: listed,
  items: listed,
  options: listed,
  default: '`onInsertValues` of upsert are what only a new record gets',
}

/** A property of records. */
export const CollectionProperty = knowing(
  {
    type: z
      .enum(collectionTypes)
      .describe(
        '`string`, `text`: a text. `number`, `double`, `float`: a number; `integer`: a whole one; `decimal`: a ' +
          'number, or its text. `date`: 2026-01-31; `time`: 10:00; `datetime`: 2026-01-31T10:00:00Z. `array`: a ' +
          'list. `enum`: one of the values that `enum` names; `enumArray`: a list of them. `uint8array`, `blob`: ' +
          'base64. `json`: anything.',
      ),
    nullable: z.boolean().optional().describe('false: each record has it, and it is not null.'),
    enum: z
      .array(z.union([z.string(), z.number()]))
      .max(1000)
      .optional()
      .describe('The values of `enum` and `enumArray`; any texts and numbers without it.'),
    description: z.string().max(500).optional().describe('For whoever reads the schema.'),
  },
  MEANT,
).check(({ value, issues }) => {
  if (value.enum === undefined || value.type === 'enum' || value.type === 'enumArray') return
  const message = 'names values in enum, which only the types enum and enumArray have: `type: enum`'
  issues.push({ code: 'unrecognized_keys', keys: ['enum'], input: value, message })
})
export type CollectionProperty = z.infer<typeof CollectionProperty>

const Properties = z.array(PropertyName).min(1).max(4)
const inUniques = 'what is to be unique stands in `uniques`'
const named = 'the names stand in `properties`'
const Indexed = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? { properties: [value] }
      : Array.isArray(value)
        ? { properties: value }
        : value,
  knowing(
    { properties: Properties },
    { unique: inUniques, uniques: inUniques, fields: named, property: named, field: named },
  ),
)

const collection = Name.describe('Made when something is written to it first.')
const query = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('As in `jsonmatch`; all records without it.')
const Data = z.record(z.string(), z.unknown())
const data = Data.describe('The record.')
const Many = z
  .array(Data)
  .max(RECORDS_PER_CALL)
  .describe(`Up to ${RECORDS_PER_CALL} records; nothing is done for none.`)

const Sort = z.record(z.string(), numeric(z.union([z.literal(1), z.literal(-1)])))
const Fields = z.union([z.array(z.string().max(200)).max(100), z.record(z.string(), z.unknown())])
const count = (max: number) => numeric(z.int().min(0).max(max))

const opts = fields({
  sort: Sort.optional().describe(
    'Property → 1 or -1: nothing, numbers, texts by code points, objects, lists, false, true. Without it, and those ' +
      'alike, by `id`: as they were added where it was not given.',
  ),
  limit: numeric(z.int().min(1).max(RECORDS_PER_CALL)).optional().describe('100 without it.'),
  page: numeric(z.int().min(1).max(1_000_000)).optional().describe('From 1, of `limit` records each.'),
  skip: count(1_000_000).optional(),
  fields: Fields.optional().describe('What of the records is answered; `id` always is.'),
}).optional()

const found = { collection, query, opts }
const allowMatchAll = flag().optional().describe('true: without a query all records go.')
const onConflictFields = z
  .array(PropertyName)
  .min(1)
  .max(4)
  .describe('Properties that tell a record from others.')
const onInsertValues = Data.optional().describe('What only a new record gets.')

const step = fields({
  type: z.enum(['sum', 'avg', 'count', 'min', 'max']),
  inputField: z.string().max(200).optional(),
  outputField: z.string().min(1).max(200),
})

/** `collections`: records with types and indexes. */
export const collectionsModule = {
  text:
    'Keeps records in collections, for this workspace alone. A record is an object with `id`, `createdAt` and ' +
    '`updatedAt`; `id` may be given. A query has the operators of `jsonmatch`: `$eq`, `$ne`, `$in`, `$nin`, `$gt`, ' +
    '`$gte`, `$lt`, `$lte`, `$exists`, `$regex`, `$all`, `$size`, `$elemMatch`, `$mod`, `$type`, `$and`, `$or`, ' +
    '`$nor`, `$not`. What is written is written once, also when the run is done again.',
  functions: {
    create: { text: 'Adds a record, and answers it.', parameters: fields({ collection, data }) },
    bulkCreate: {
      text: 'Adds records, all or none, and answers them.',
      parameters: fields({ collection, data: Many }),
    },
    findOne: {
      text: 'The first record that fits, or null.',
      parameters: fields(found),
    },
    findMany: { text: 'The records that fit, as a list.', parameters: fields(found) },
    findAndCount: {
      text: '`{ items, count }`: a page of the records that fit, and how many there are in all.',
      parameters: fields(found),
    },
    count: { text: 'How many records fit.', parameters: fields({ collection, query }) },
    distinct: {
      text:
        'The different values of a property, each item of a list by itself; in the order of `sort`, at most ' +
        '1,000.',
      parameters: fields({
        collection,
        query,
        field: text(200),
        opts: fields({
          count: flag().optional().describe('true: `{ value, count }` of each.'),
          sort: numeric(z.union([z.literal(1), z.literal(-1)])).optional(),
        }).optional(),
      }),
    },
    aggregate: {
      text:
        'One object for each group: its properties, and what the steps compute. In the order of `sort`, those ' +
        'without a value last; at most 1,000.',
      parameters: fields({
        collection,
        query,
        groupBy: z
          .union([
            z.array(z.string().max(200)).max(4),
            z
              .string()
              .max(200)
              .transform((one) => [one]),
          ])
          .optional()
          .describe('One group of all without it.'),
        steps: z.array(step).min(1).max(20),
      }),
    },
    updateOne: {
      text:
        'Changes the first record that fits, and answers it, or null. `data` are properties to set, or `$set`, ' +
        '`$unset`, `$inc`, `$push`, `$addToSet`, `$pull`.',
      parameters: fields({ collection, query, data }),
    },
    updateMany: {
      text: 'Changes all records that fit, and answers `{ count }`.',
      parameters: fields({ collection, query, data }),
    },
    upsert: {
      text: 'Changes the record with the same `onConflictFields`, or adds it, and answers it.',
      parameters: fields({ collection, data, onConflictFields, onInsertValues }),
    },
    bulkUpsert: {
      text: 'The same for several records, all or none.',
      parameters: fields({ collection, data: Many, onConflictFields, onInsertValues }),
    },
    deleteOne: {
      text: 'Deletes the first record that fits, and answers `{ count }`.',
      parameters: fields({ collection, query }),
    },
    deleteMany: {
      text: 'Deletes all records that fit, and answers `{ count }`.',
      parameters: fields({ collection, query, allowMatchAll, overrideSecurity: allowMatchAll }),
    },
    updateSchema: {
      text:
        'Says what the properties of a collection are, and which are indexed or unique. What is named replaces what ' +
        'was there; records that do not fit refuse it.',
      parameters: fields({
        collection,
        schema: z.string().max(200).optional().describe('Means nothing here.'),
        properties: z
          .record(PropertyName, CollectionProperty, {
            error: (issue) => (issue.code === 'invalid_key' ? NO_PROPERTY : undefined),
          })
          .optional()
          .describe('What is known of properties, by their names; others may be there, with any value.'),
        indexes: z
          .array(Indexed)
          .max(MAX_INDEXES)
          .optional()
          .describe('Each `{ properties: [name, …] }`, a list of names, or one name.'),
        uniques: z
          .array(Indexed)
          .max(MAX_UNIQUES)
          .optional()
          .describe('The same; of these each value, or all values together, is there once. No lists.'),
      }),
    },
    listCollections: {
      text: 'The collections of the workspace: `{ collection, createdAt, updatedAt }` each.',
      parameters: fields({}),
    },
    getCollectionSchemas: {
      text: '`{ collection, properties, indexes, uniques }` of each.',
      parameters: fields({ collections: z.array(Name).max(1000).optional() }),
    },
    getCollectionStats: {
      text: '`{ collection, records, bytes }` of each, counted now.',
      parameters: fields({ collections: z.array(Name).max(1000).optional() }),
    },
    inferCollectionSchema: {
      text: 'What the properties of a collection are, as 1,000 of its records show them.',
      parameters: fields({ collection }),
    },
    deleteCollections: {
      text: 'Deletes collections with their records, and answers `{ count }`.',
      parameters: fields({ collections: z.array(Name).max(100) }),
    },
  },
  example: {
    do: [
      {
        run: {
          module: 'collections',
          function: 'updateSchema',
          parameters: {
            collection: 'orders',
            properties: {
              number: { type: 'string', nullable: false },
              state: { type: 'enum', enum: ['open', 'paid'] },
              total: { type: 'number' },
            },
            indexes: [{ properties: ['state'] }],
            uniques: [{ properties: ['number'] }],
          },
        },
      },
      {
        run: {
          module: 'collections',
          function: 'bulkCreate',
          parameters: {
            collection: 'orders',
            data: [
              { number: 'A1', state: 'open', total: 10 },
              { number: 'A2', state: 'open', total: 5 },
            ],
          },
        },
      },
      {
        run: {
          module: 'collections',
          function: 'updateOne',
          parameters: {
            collection: 'orders',
            query: { number: 'A2' },
            data: { $set: { state: 'paid' }, $push: { notes: 'by card' } },
          },
          output: 'paid',
        },
      },
      {
        run: {
          module: 'collections',
          function: 'findMany',
          parameters: {
            collection: 'orders',
            query: { state: 'open', total: { $gte: 10 } },
            opts: { sort: { number: 1 }, limit: 20, fields: ['number'] },
          },
          output: 'open',
        },
      },
      {
        run: {
          module: 'collections',
          function: 'aggregate',
          parameters: {
            collection: 'orders',
            steps: [{ type: 'sum', inputField: 'total', outputField: 'total' }],
          },
          output: 'sums',
        },
      },
    ],
    output: { notes: '{{paid.notes}}', open: '{{open[0].number}}', total: '{{sums[0].total}}' },
    gives: { notes: ['by card'], open: 'A1', total: 15 },
  },
} as const satisfies ModuleDescription
