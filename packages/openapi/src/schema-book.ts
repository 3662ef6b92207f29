import type { Endpoint } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import { z } from 'zod'
import { type Json, namedSchemas } from './declared.ts'
import { plainSchema } from './plain-schema.ts'

type Side = 'input' | 'output'

const REFERENCE = '#/components/schemas/'

/** Looks up the JSON schema of anything in a contract. What the contracts name is a reference to a component. */
export interface SchemaBook {
  /** As a caller sends it: with defaults, before anything is transformed. */
  sent(schema: z.ZodType): Json
  /** As it is answered. */
  answered(schema: z.ZodType): Json
  /** A schema the contracts name, whether or not an operation has it. */
  named(schema: z.ZodType): Json
  /** What was referred to so far, by name. */
  components(): Record<string, Json>
}

/** Translates all schemas of the operations at once, so that each named one is written once and referred to. */
export function schemaBook(endpoints: readonly Endpoint[]): SchemaBook {
  const answers = endpoints.flatMap(({ response, otherAnswers = [] }) => [
    response,
    ...otherAnswers.map((one) => one.response),
  ])
  const schemas = [...endpoints.flatMap(({ body, query }) => [body, query]), ...answers].filter(
    (one) => one !== undefined,
  )
  const pages = { input: translate(schemas, 'input'), output: translate(schemas, 'output') }
  const answered = reachable(
    pages.output,
    answers.map((one) => (one === undefined ? {} : pages.output.bySchema.get(one))),
  )
  const used = new Map<string, Json>()

  /** A schema that is sent otherwise than answered has two components. */
  const shownName = (name: string, side: Side) =>
    side === 'output' || !answered.has(name) || isSame(pages, name) ? name : `${name}Sent`
  const refer = (value: unknown, side: Side): unknown => {
    if (Array.isArray(value)) return value.map((inner) => refer(inner, side))
    if (!isRecord(value)) return value
    const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, refer(inner, side)]))
    if (typeof copy.$ref === 'string') copy.$ref = use(copy.$ref.slice(REFERENCE.length), side)
    return copy
  }
  const use = (name: string, side: Side): string => {
    const shown = shownName(name, side)
    if (!used.has(shown)) {
      used.set(shown, {})
      used.set(shown, refer(pages[side].byName.get(name), side) as Json)
    }
    return REFERENCE + shown
  }
  const look = (schema: z.ZodType, side: Side) => refer(pages[side].bySchema.get(schema) ?? {}, side) as Json
  return {
    sent: (schema) => look(schema, 'input'),
    answered: (schema) => look(schema, 'output'),
    named: (schema) => ({ $ref: use(namedSchemas.get(schema) ?? '', 'output') }),
    components: () => Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

interface Page {
  byName: Map<string, Json>
  bySchema: Map<z.ZodType, Json>
}

function translate(schemas: readonly z.ZodType[], io: Side): Page {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of namedSchemas) registry.add(schema, { id })
  const ids = new Map<z.ZodType, string>()
  for (const schema of new Set(schemas)) {
    const id = namedSchemas.get(schema) ?? `part-${ids.size}`
    ids.set(schema, id)
    if (!namedSchemas.has(schema)) registry.add(schema, { id })
  }
  const { schemas: found } = z.toJSONSchema(registry, {
    io,
    unrepresentable: 'any',
    uri: (id) => REFERENCE + id,
    override: ({ zodSchema, jsonSchema }) => {
      // Answers may gain fields (a client ignores what it does not know), so only what is declared strict is closed.
      const { def } = zodSchema._zod
      if (def.type === 'object' && (def as z.core.$ZodObjectDef).catchall === undefined)
        delete jsonSchema.additionalProperties
      // Zod leaves the default of digits out, because they are a number only afterwards.
      if (io === 'input' && def.type === 'default')
        jsonSchema.default ??= (def as z.core.$ZodDefaultDef).defaultValue
    },
  })
  const plain = (id: string) => plainSchema(found[id]) as Json
  return {
    byName: new Map([...namedSchemas.values()].map((name) => [name, plain(name)])),
    bySchema: new Map(
      [...ids].map(([schema, id]) => [
        schema,
        namedSchemas.has(schema) ? { $ref: REFERENCE + id } : plain(id),
      ]),
    ),
  }
}

/** Whether a named schema and everything it refers to is the same on both sides. */
function isSame(pages: Record<Side, Page>, name: string): boolean {
  const names = [name, ...reachable(pages.input, pages.input.byName.get(name))]
  const text = (side: Side, one: string) => JSON.stringify(pages[side].byName.get(one))
  return names.every((one) => text('input', one) === text('output', one))
}

/** The names of everything a schema refers to, also through others. */
function reachable(page: Page, schema: unknown, seen = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(schema ?? {}).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (seen.has(name)) continue
    seen.add(name)
    reachable(page, page.byName.get(name), seen)
  }
  return seen
}
