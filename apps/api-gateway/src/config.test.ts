import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '@platform/config'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { apiGatewayEnv, environment, requireEnvironment } from './config.ts'

/** Every variable of every part: what the page of all variables says of it. */
const described = environment.flatMap((schema) => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([name, property]) => ({
    name,
    property: property as { description?: string },
    isRequired: required.includes(name),
  }))
})

const problemsOf = (env: Record<string, string>): string[] => {
  try {
    requireEnvironment(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

const enough = {
  NODE_ENV: 'development',
  DATABASE_URL: 'postgres://db/x',
  INTERNAL_API_KEY: randomBytes(32).toString('hex'),
  SESSION_COOKIES_SIGN_SECRET: randomBytes(32).toString('hex'),
  SECRETS_MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`,
}

describe('the environment of the gateway', () => {
  test('is that of all its parts', async () => {
    for await (const file of glob('**/*-env.ts', { cwd: import.meta.dirname })) {
      const part: Record<string, unknown> = await import(join(import.meta.dirname, file))
      const schemas = Object.entries(part).filter(([name]) => name.endsWith('Env'))
      expect(schemas, file).toHaveLength(1)
      for (const [name, schema] of schemas) expect(environment, name).toContain(schema)
    }
  })

  test('says of each variable what it means, and the same wherever it is read', () => {
    const first = new Map<string, (typeof described)[number]>()
    for (const variable of described) {
      expect(variable.property.description, variable.name).toMatch(/\.$/)
      expect(variable).toEqual(first.get(variable.name) ?? variable)
      first.set(variable.name, variable)
    }
  })

  test('is on the page of all variables', () => {
    const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
    for (const { name } of described)
      expect(page).toMatch(new RegExp(`^\\| \`${name}\`(, \`${name}_FILE\`)? \\| [^|]*api-gateway`, 'm'))
  })

  test('is enough with its secrets and a database', () => {
    expect(problemsOf(enough)).toEqual([])
  })

  test('refuses addresses of services that are none', () => {
    expect(problemsOf({ ...enough, EVENTS_API_URL: 'nonsense' })).toEqual([
      expect.stringMatching(/^EVENTS_API_URL /),
    ])
  })

  test('lets a service take a minute unless it is told otherwise', () => {
    expect(apiGatewayEnv.parse(enough).gatewayTimeoutMs).toBe(60_000)
  })

  test('tells the problems of all its parts at once, each once', () => {
    const wrong = { LOGIN_URL: 'nowhere', MFA_ISSUER: 'a:b', API_URL: 'nowhere', FILES_URL: 'ftp:x' }
    const problems = problemsOf({ ...enough, ...wrong })
    for (const name of Object.keys(wrong))
      expect(
        problems.filter((problem) => problem.startsWith(name)),
        name,
      ).toHaveLength(1)
  })
})
