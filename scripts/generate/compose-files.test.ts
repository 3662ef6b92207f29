import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig, resolveSecrets } from '@platform/config'
import { serviceNames, services } from '@platform/contracts'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { environments } from '../../apps/ops/src/config/environments.ts'
import { createSecrets } from '../../apps/ops/src/secrets/create.ts'
import { variablesOf } from './variables.ts'

const folder = new URL('../../deploy/compose/', import.meta.url)
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8')

interface Container {
  image: string
  build?: { args: { APP: string } }
  restart?: string
  profiles?: string[]
  read_only?: boolean
  cap_drop?: string[]
  cap_add?: string[]
  security_opt?: string[]
  user?: string
  mem_limit?: string
  logging?: { options: Record<string, string> }
  healthcheck?: { test?: string[]; disable?: boolean }
  entrypoint?: string[]
  command?: string[]
  environment?: Record<string, string>
  ports?: string[]
  volumes?: string[]
  env_file?: { path: string }[]
  networks?: string[] | Record<string, unknown>
}
const file = parse(textOf('platform.yaml'), { merge: true }) as { services: Record<string, Container> }
const containers = Object.entries(file.services)
const lasting = containers.filter(([name]) => name !== 'secrets')

describe('platform.yaml', () => {
  test('has a container for each service, of its image, whose own check is the readiness', () => {
    for (const name of serviceNames) {
      expect(file.services[name]?.image).toMatch(new RegExp(`^platform/${name}:`))
      expect(file.services[name]?.build?.args.APP).toBe(name)
      expect(file.services[name]?.healthcheck).toBeUndefined()
    }
  })

  test.each(lasting)('%s comes back, is looked after and bounded in memory and log', (name, container) => {
    expect(container.restart).toBe('unless-stopped')
    expect(container.mem_limit).toMatch(/\$\{\w+:-\w+\}/)
    expect(container.logging?.options).toEqual({ 'max-size': '10m', 'max-file': '5' })
    if (!Object.hasOwn(services, name)) expect(container.healthcheck?.test?.length).toBeGreaterThan(1)
  })

  test.each(containers)('%s has no capabilities and gains none', (name, container) => {
    expect(container.cap_drop).toEqual(['ALL'])
    expect(container.security_opt).toEqual(['no-new-privileges:true'])
    expect(container.cap_add ?? []).toEqual(name === 'caddy' ? ['NET_BIND_SERVICE'] : [])
    if (name !== 'opensearch') expect(container.read_only).toBe(true)
    // The image of OpenSearch has a user of its own; secrets ends at once.
    if (!['opensearch', 'secrets'].includes(name))
      expect(container.user).toMatch(/^(1000:1000|postgres|valkey)$/)
  })

  test('publishes one port, that of the gateway, beside those of the profile tls', () => {
    const published = containers.filter(([, { ports = [] }]) => ports.length > 0).map(([name]) => name)
    expect(published.sort()).toEqual(['api-gateway', 'caddy'])
    expect(file.services['api-gateway']?.ports).toHaveLength(1)
  })

  test('gives functions settings, secrets, files and networks of their own', () => {
    const { networks, volumes = [], env_file = [] } = file.services.functions ?? {}
    expect(networks).toEqual(['default'])
    expect(volumes).toEqual(['functions:/run/platform:ro', './files/functions:/etc/platform:ro'])
    expect(env_file.map(({ path }) => path)).toEqual(['functions.defaults.env', 'functions.env'])
  })

  test('has no password in a command line or an environment', () => {
    for (const [name, { entrypoint = [], command = [], environment = {} }] of containers) {
      expect([
        name,
        [...entrypoint, ...command].filter((word) => /pass|auth|\$\{\w*(_KEY|SECRET)/i.test(word)),
      ]).toEqual([name, []])
      const secret = Object.keys(environment).filter((variable) => /PASS|SECRET|KEY/.test(variable))
      expect([name, secret.filter((variable) => !variable.endsWith('_FILE'))]).toEqual([name, []])
    }
  })
})

describe('what the containers start with', () => {
  test('is a whole configuration of every service, with the secrets that are made', async () => {
    const made = mkdtempSync(join(tmpdir(), 'compose-'))
    await createSecrets({ env: {}, hasColours: false, print: () => {}, complain: () => {} }, made, {})
    const pairsIn = (defaults: string, secrets: string) =>
      textOf(defaults)
        .replaceAll('/run/platform', join(made, secrets))
        .replace(/^API_URL=.*$/m, 'API_URL=http://localhost:3001/v2')
        .replace(/^(TRUSTED_PROXY_HOPS|LISTEN_WHEN_READY|FUNCTIONS_URL)=.*$/gm, '')
        .split('\n')
        .filter((line) => /^\w+=/.test(line))
        .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string])
    const common = Object.fromEntries(pairsIn('platform.defaults.env', 'platform'))
    const apart = Object.fromEntries(pairsIn('functions.defaults.env', 'functions'))
    for (const [name, schemas] of Object.entries(environments)) {
      const { env } = resolveSecrets(schemas, name === 'functions' ? apart : common)
      for (const schema of schemas) expect(() => readConfig(schema, env)).not.toThrow()
    }
  })
})

test('platform.env.example has every variable a service reads, and a file for each secret', () => {
  const example = textOf('platform.env.example')
  const settled = ['HOST', ...Object.values(services).map(({ portVariable }) => portVariable)]
  for (const { name, isSecret } of variablesOf(environments)) {
    if (settled.includes(name)) continue
    expect(example).toMatch(new RegExp(`^#${name}=`, 'm'))
    expect([name, new RegExp(`^#${name}_FILE=`, 'm').test(example)]).toEqual([name, isSecret])
  }
})
