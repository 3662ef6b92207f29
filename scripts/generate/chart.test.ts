import { readdirSync, readFileSync } from 'node:fs'
import { Validator } from '@cfworker/json-schema'
import { familiesOf } from '@platform/config'
import { serviceNames, services } from '@platform/contracts'
import { processEnv } from '@platform/service'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { environments } from '../../apps/ops/src/config/environments.ts'

const CHART = 'deploy/helm/platform'
const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8'))
const valuesIn = (file: string) => parse(readFileSync(`${CHART}/${file}`, 'utf8'))
const defaults = valuesIn('values.yaml')

/** What is wrong with values, as the paths of what is refused. */
function problems(values: object): string[] {
  const { errors } = new Validator(schema, '7', false).validate({ ...defaults, ...values })
  return errors.map(({ instanceLocation }) => instanceLocation)
}

const variablesOf = (name: (typeof serviceNames)[number]): string[] =>
  [processEnv, ...environments[name]].flatMap((one) =>
    Object.keys(z.toJSONSchema(one, { io: 'input', unrepresentable: 'any' }).properties ?? {}).filter(
      (variable) => !familiesOf(one).has(variable),
    ),
  )
/** Services, probes and policies hang on them. */
const ofTheChart = new Set<string>([
  'METRICS_PORT',
  ...Object.values(services).flatMap(({ portVariable, urlVariable }) => [portVariable, urlVariable]),
])

describe('the values of the Helm chart', () => {
  test('begin with defaults its schema takes', () => {
    expect(problems({})).toEqual([])
  })

  test.each(readdirSync(`${CHART}/ci`))('of the set %s are taken', (file) => {
    expect(problems(valuesIn(`ci/${file}`))).toEqual([])
  })

  test.each(serviceNames)('know every variable of %s, for all services and for it alone', (name) => {
    const expected = [...new Set(variablesOf(name))].filter((variable) => !ofTheChart.has(variable)).sort()
    expect(
      Object.keys(schema.properties.services.properties[name].properties.config.properties).sort(),
    ).toEqual(expected)
    expect(Object.keys(schema.properties.config.properties)).toEqual(expect.arrayContaining(expected))
    const line = valuesIn('files/services.yaml').services[name]
    expect([...line.variables].sort()).toEqual(expected)
  })

  test('refuse what nobody reads, what the chart decides, and what the service does not read', () => {
    expect(problems({ config: { SMTP_HOTS: 'x' } })).toContain('#/config/SMTP_HOTS')
    expect(problems({ config: { PORT: 3001 } })).toContain('#/config/PORT')
    expect(problems({ services: { events: { config: { SMTP_HOST: 'x' } } } })).toContain(
      '#/services/events/config/SMTP_HOST',
    )
    expect(problems({ services: { nobody: {} } })).toContain('#/services/nobody')
    expect(problems({ ingres: { enabled: true } })).toContain('#/ingres')
  })

  test('take numbers and words for numbers, within their bounds', () => {
    expect(
      problems({ config: { GATEWAY_TIMEOUT: 60, RUN_CONCURRENCY: '64', OTEL_TRACES_SAMPLER_ARG: 0.5 } }),
    ).toEqual([])
    expect(problems({ config: { OTEL_TRACES_SAMPLER_ARG: 2 } })).toContain('#/config/OTEL_TRACES_SAMPLER_ARG')
    expect(problems({ config: { GATEWAY_TIMEOUT: 'soon' } })).toContain('#/config/GATEWAY_TIMEOUT')
    expect(problems({ config: { LOG_LEVEL: 'loud' } })).toContain('#/config/LOG_LEVEL')
  })

  test('take secrets, and addresses with a password, as references only', () => {
    const secretKeyRef = { name: 'stores', key: 'database' }
    expect(problems({ config: { DATABASE_URL: { secretKeyRef }, SMTP_PASS: { secretKeyRef } } })).toEqual([])
    expect(problems({ config: { SMTP_PASS: 'in clear' } })).toContain('#/config/SMTP_PASS')
    expect(problems({ config: { SMTP_PASS: { configMapKeyRef: secretKeyRef } } })).toContain(
      '#/config/SMTP_PASS',
    )
    expect(problems({ config: { DATABASE_URL: 'postgres://u:p@host/db' } })).toContain(
      '#/config/DATABASE_URL',
    )
    const DATABASE_URL = 'postgres://platform@database:5432/platform'
    expect(problems({ config: { DATABASE_URL, DATABASE_PASSWORD: { secretKeyRef } } })).toEqual([])
  })
})
