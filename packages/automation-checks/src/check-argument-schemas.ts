import { isRecord } from '@platform/kernel'
import type { Path, Problem } from '@platform/source-texts'

type Rule = (value: unknown, path: Path) => Problem[]

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
const localized = ['localized:string', 'localized:number', 'localized:boolean']

const must = (what: string, holds: (value: unknown) => boolean): Rule => {
  return (value, path) => (holds(value) ? [] : [{ path, message: `must be ${what}` }])
}

const isType = (value: unknown) => typeof value === 'string' && [...types, ...localized].includes(value)
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0
const isNames = (value: unknown) => Array.isArray(value) && value.every((name) => typeof name === 'string')

const count = must('a whole number', isCount)
const number = must('a number', (value) => typeof value === 'number')
const text = must('a text', (value) => typeof value === 'string')
const flag = must('true or false', (value) => typeof value === 'boolean')
const list = must('a list', Array.isArray)

const pattern: Rule = (value, path) => {
  if (typeof value !== 'string') return text(value, path)
  try {
    new RegExp(value, 'u')
    return []
  } catch {
    return [{ path, message: 'must be a regular expression' }]
  }
}

/** Nothing is fetched when a schema is used. */
const reference: Rule = (value, path) =>
  typeof value === 'string' && /^#(\/|$)/.test(value)
    ? []
    : [{ path, message: 'must point into the same schema, for example #/$defs/name' }]

const schemas: Rule = (value, path) =>
  isRecord(value)
    ? Object.entries(value).flatMap(([name, schema]) => checkSchema(schema, [...path, name]))
    : [{ path, message: 'must name schemas' }]

const schemaList: Rule = (value, path) =>
  Array.isArray(value)
    ? value.flatMap((schema, index) => checkSchema(schema, [...path, index]))
    : [{ path, message: 'must be a list of schemas' }]

const oneOrMore: Rule = (value, path) =>
  Array.isArray(value) ? schemaList(value, path) : checkSchema(value, path)

/** What the keywords of a schema must look like. Any other keyword is a note, for example `title` or `ui:widget`. */
const rules: Readonly<Record<string, Rule>> = {
  type: must(`one of ${[...types, ...localized].join(', ')}`, (value) =>
    Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value),
  ),
  required: must('a list of names beside `properties`: name a required argument there', isNames),
  properties: schemas,
  patternProperties: schemas,
  definitions: schemas,
  $defs: schemas,
  dependentSchemas: schemas,
  unevaluatedProperties: checkSchema,
  unevaluatedItems: checkSchema,
  additionalProperties: checkSchema,
  propertyNames: checkSchema,
  not: checkSchema,
  if: checkSchema,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: checkSchema,
  else: checkSchema,
  contains: checkSchema,
  items: oneOrMore,
  additionalItems: checkSchema,
  prefixItems: schemaList,
  allOf: schemaList,
  anyOf: schemaList,
  oneOf: schemaList,
  enum: list,
  format: text,
  pattern,
  $ref: reference,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: number,
  uniqueItems: flag,
  secret: flag,
  redact: flag,
}

/** The schemas of `arguments`: JSON Schema. An empty one takes anything. */
export const checkArgumentSchemas = (value: unknown, path: Path): Problem[] =>
  isRecord(value)
    ? Object.entries(value).flatMap(([name, schema]) =>
        schema === null
          ? []
          : isFlaggedRequired(schema)
            ? [{ path: [...path, name, 'required'], message: requiredElsewhere(name) }]
            : checkSchema(schema, [...path, name]),
      )
    : []

/**
 * The schemas of `parameters` of a function, which have no `schemas` beside them: what a call needs is said by
 * `required: true` of a parameter itself.
 */
export const checkParameterSchemas = (value: unknown, path: Path): Problem[] =>
  isRecord(value) ? checkArgumentSchemas(mapValues(value, withoutFlag), path) : []

const mapValues = (record: Record<string, unknown>, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

function withoutFlag(schema: unknown): unknown {
  if (!isRecord(schema) || !isFlaggedRequired(schema)) return schema
  const { required: _, ...others } = schema
  return others
}

/** Of one argument: there is no list beside it that could name it. */
const isFlaggedRequired = (schema: unknown): boolean =>
  isRecord(schema) && typeof schema.required === 'boolean'

const requiredElsewhere = (name: string): string =>
  'must be a list of names: which arguments a call needs is said by `schemas`, as ' +
  `payload: { type: object, required: [${name.slice(0, 100)}], properties: … }`

/**
 * The branches of `schemas`, each a schema or names → schemas: anything may stand there but a reference to another
 * document.
 */
export const checkBranchReferences = (branches: unknown, path: Path): Problem[] =>
  Array.isArray(branches)
    ? branches.flatMap((branch, index) =>
        isRecord(branch) ? checkPayloadReferences(branch.payload, [...path, index, 'payload']) : [],
      )
    : []

function checkPayloadReferences(payload: unknown, path: Path): Problem[] {
  if (!isRecord(payload)) return []
  const isSchema = typeof payload.type === 'string' || isRecord(payload.properties)
  const problems = isSchema ? checkSchema(payload, path) : checkArgumentSchemas(payload, path)
  return problems.filter((problem) => problem.path.at(-1) === '$ref')
}

function checkSchema(schema: unknown, path: Path): Problem[] {
  if (typeof schema === 'boolean') return []
  if (!isRecord(schema)) return [{ path, message: 'must be a JSON schema such as { type: string }' }]
  return Object.entries(schema).flatMap(
    ([keyword, value]) => ruleOf(keyword)?.(value, [...path, keyword]) ?? [],
  )
}

const ruleOf = (keyword: string): Rule | undefined =>
  Object.hasOwn(rules, keyword) ? rules[keyword] : undefined
