import { familiesOf } from '@platform/config'
import { type ServiceName, serviceNames, services } from '@platform/contracts'
import { processEnv } from '@platform/service'
import { z } from 'zod'
import { environments } from '../../apps/ops/src/config/environments.ts'

/** What is known of a variable: JSON Schema of what may be given. */
export interface FieldSchema {
  description?: string
  default?: unknown
  /** True of a secret, and of an address that may hold one. */
  secret?: boolean
  [keyword: string]: unknown
}

/** What one service reads of its environment, in the order of names. */
export interface ServiceVariables {
  name: ServiceName
  /** It is there where somebody wants it. */
  isOptional: boolean
  fields: ReadonlyMap<string, FieldSchema>
  required: readonly string[]
}

/** Set by the chart alone, because Services, probes and policies hang on them. */
const ofTheChart = new Set<string>([
  'PORT',
  'METRICS_PORT',
  'DATA_DIRECTORY',
  ...serviceNames.flatMap((name) => [services[name].urlVariable, services[name].portVariable]),
])

/** Only a reference to a Secret is taken for these; an address may stand in the values, without a password. */
export const isSecret = (name: string, { secret }: FieldSchema): boolean =>
  secret === true && !name.endsWith('_URL')

/** Every service with what an operator may set of it; what a family has any number of is for `extraEnv`. */
export const serviceVariables: readonly ServiceVariables[] = serviceNames.map((name) => {
  const read = [processEnv, ...environments[name]]
  const families = new Set(read.flatMap((schema) => [...familiesOf(schema).keys()]))
  const schemas = read.map((schema) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
  const fields = new Map<string, FieldSchema>()
  for (const { properties = {} } of schemas)
    for (const [variable, field] of Object.entries(properties))
      if (!ofTheChart.has(variable) && !families.has(variable))
        fields.set(variable, { ...fields.get(variable), ...(field as FieldSchema) })
  return {
    name,
    isOptional: 'optional' in services[name],
    fields: new Map([...fields].sort(([one], [other]) => one.localeCompare(other))),
    required: [...new Set(schemas.flatMap(({ required = [] }) => required))].sort(),
  }
})
