import { type FailureName, failures } from '@platform/kernel'
import { failureHeaders } from './answer-headers.ts'
import type { Json } from './declared.ts'

const RESPONSES = '#/components/responses/'

/** References to the responses of some failures, by status; several names of one status share a response. */
export const failureResponses = (names: readonly FailureName[]): Json =>
  Object.fromEntries(
    byStatus(names).map(([status, same]) => [status, { $ref: `${RESPONSES}${same.join('.')}` }]),
  )

/** The response of failures that share a status. */
export function failureResponse(names: readonly FailureName[]): Json {
  const status = names[0] === undefined ? '' : String(failures[names[0]])
  const schema = { $ref: '#/components/schemas/Failure', properties: { error: { enum: names } } }
  const examples = names.map((name) => [name, { $ref: `#/components/examples/${name}` }])
  return {
    description: names.join(', '),
    headers: failureHeaders(status),
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  }
}

/** The components behind the references among `used`, by name. */
export const failureComponents = (used: ReadonlySet<string>): Record<string, Json> =>
  Object.fromEntries(
    [...used]
      .filter((reference) => reference.startsWith(RESPONSES))
      .map((reference) => reference.slice(RESPONSES.length))
      .sort()
      .map((name) => [name, failureResponse(name.split('.') as FailureName[])]),
  )

const byStatus = (names: readonly FailureName[]): [status: string, names: FailureName[]][] => [
  ...Map.groupBy([...names].sort(), (name) => String(failures[name])),
]
