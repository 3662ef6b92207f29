import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { services, usualServices } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { ClusterObject } from '../support/cluster.ts'
import {
  CHART,
  helm,
  helmProgram,
  kubeconformProgram,
  OLDEST,
  objectsOf,
  render,
  runProgram,
  valueSets,
  valuesOf,
} from '../support/helm.ts'
import { definitions, writeSchemas } from '../support/kubernetes-schemas.ts'

const API = ['--set', 'config.API_URL=https://api.example.com/v2']
const DATABASE = ['--set', 'config.DATABASE_URL.secretKeyRef.name=a,config.DATABASE_URL.secretKeyRef.key=b']
const CACHE = ['--set', 'config.CACHE_URL=memory:']

const ofKind = (objects: readonly ClusterObject[], kind: string) =>
  objects.filter((object) => object.kind === kind)
const named = (objects: readonly ClusterObject[], kind: string, name: string) => {
  const found = ofKind(objects, kind).find(({ metadata }) => metadata.name === name)
  if (found === undefined) throw new Error(`There is no ${kind} ${name}.`)
  return found
}
const environmentOf = (deployment: ClusterObject): Record<string, unknown> =>
  Object.fromEntries(
    deployment.spec.template.spec.containers[0].env.map(
      ({ name, value, valueFrom }: { name: string; value?: string; valueFrom?: object }) => [
        name,
        value ?? valueFrom,
      ],
    ),
  )

describe.runIf(helmProgram !== undefined)('the Helm chart', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'helm-chart-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each(valueSets)('has nothing helm lint complains of, with the values "%s"', async (name) => {
    const { code, output } = await helm([
      'lint',
      CHART,
      '--strict',
      '--kube-version',
      OLDEST,
      ...valuesOf(name),
    ])
    expect(code, output).toBe(0)
  })

  test.each(kubeconformProgram === undefined ? [] : definitions().kubernetes)(
    'makes what Kubernetes $version knows, of every set of values',
    { timeout: 120_000 },
    async ({ version }) => {
      for (const name of valueSets) {
        const text = await render(valuesOf(name))
        writeSchemas(folder, new Set(objectsOf(text).map(({ kind }) => kind)))
        const file = join(folder, `${name}.yaml`)
        writeFileSync(file, text)
        const location = `${folder}/{{ .NormalizedKubernetesVersion }}/{{ .ResourceKind }}{{ .KindSuffix }}.json`
        const check = (path: string) =>
          runProgram(kubeconformProgram, [
            '-strict',
            '-kubernetes-version',
            version,
            '-schema-location',
            location,
            path,
          ])
        const { code, output } = await check(file)
        expect(code, `${name}: ${output}`).toBe(0)
        writeFileSync(file, text.replace('maxUnavailable: 0', 'maxUnavailble: 0'))
        expect((await check(file)).output).toContain('maxUnavailble')
      }
    },
  )

  test('has all that a service needs as soon as it is in the registry', async () => {
    const chart = join(folder, 'chart')
    cpSync(CHART, chart, { recursive: true })
    const file = join(chart, 'files/services.yaml')
    const registry = parse(readFileSync(file, 'utf8'))
    registry.services.pages = { ...registry.services.runtime, port: 3010, urlVariable: 'PAGES_API_URL' }
    writeFileSync(file, stringify(registry))
    const objects = objectsOf(await render(valuesOf('external'), chart))
    const kinds = objects.filter(({ metadata }) => /-pages(-|$)/.test(metadata.name)).map(({ kind }) => kind)
    expect(kinds.sort()).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'Service',
    ])
    const gateway = named(objects, 'Deployment', 'demo-platform-api-gateway')
    expect(environmentOf(gateway).PAGES_API_URL).toBe('http://demo-platform-pages:3010')
  })

  test('gives a variable to the services that read it, and its own value to one', async () => {
    const objects = objectsOf(await render(valuesOf('production')))
    const environment = (name: string) => environmentOf(named(objects, 'Deployment', `demo-platform-${name}`))
    expect(environment('runtime')).toMatchObject({
      RUN_CONCURRENCY: '128',
      SHUTDOWN_GRACE_MS: '45000',
      OTEL_TRACES_SAMPLER_ARG: '0.05',
      DATABASE_URL: { secretKeyRef: { name: 'platform-stores', key: 'database' } },
    })
    expect(environment('api-gateway')).toMatchObject({
      SHUTDOWN_GRACE_MS: '90000',
      ACCESS_TOKENS_MAX_AGE: '2592000',
      TRUSTED_PROXY_HOPS: '1',
    })
    expect(environment('workspaces')).not.toHaveProperty('SEARCH_URL')
    expect(environment('events')).not.toHaveProperty('SMTP_HOST')
    for (const name of usualServices) {
      const pod = named(objects, 'Deployment', `demo-platform-${name}`).spec.template.spec
      const graceMs = Number(environment(name).SHUTDOWN_GRACE_MS)
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(graceMs / 1000)
      expect(environment(name).PORT).toBe(String(services[name].port))
    }
  })

  test('keeps probes out of the limits of an address where many share that of a node', async () => {
    const limitWith = async (...more: string[]) => {
      const objects = objectsOf(await render([...API, ...DATABASE, ...CACHE, ...more]))
      return environmentOf(named(objects, 'Deployment', 'demo-platform-api-gateway'))
        .MAX_CONNECTIONS_PER_ADDRESS
    }
    const balanced = ['--set', 'service.type=LoadBalancer']
    expect(await limitWith()).toBe('0')
    expect(await limitWith(...balanced)).toBeUndefined()
    expect(await limitWith(...balanced, '--set', 'service.externalTrafficPolicy=Cluster')).toBe('0')
  })

  test.each([
    ['where the public address is', CACHE.concat(DATABASE), 'config.API_URL is missing'],
    ['which database', API.concat(CACHE), 'config.DATABASE_URL is missing'],
    ['which cache', API.concat(DATABASE), 'config.CACHE_URL is missing'],
    [
      'https',
      [...CACHE, ...DATABASE, '--set', 'config.API_URL=http://a.example/v2'],
      'must begin with https',
    ],
    ['names it knows', [...API, '--set', 'config.SMTP_HOTS=x'], 'SMTP_HOTS'],
    [
      'variables the service reads',
      [...API, '--set', 'services.workspaces.config.RUN_CONCURRENCY=1'],
      'RUN_CONCURRENCY',
    ],
    ['numbers', [...API, '--set', 'config.RUN_CONCURRENCY=many'], 'RUN_CONCURRENCY'],
    ['a Secret instead of a secret', [...API, '--set', 'config.SMTP_PASS=hunter2hunter2'], 'SMTP_PASS'],
    [
      'an address without a password',
      [...API, '--set', 'config.DATABASE_URL=postgres://u:p@h/d'],
      'DATABASE_URL',
    ],
    [
      'a volume that all gateways can mount',
      [
        ...API,
        ...CACHE,
        ...DATABASE,
        '--set',
        'files.persistence.enabled=true,files.persistence.accessModes={ReadWriteOnce}',
      ],
      'use ReadWriteMany',
    ],
    [
      'policies around a store without a password',
      [...API, ...CACHE, ...DATABASE, '--set', 'opensearch.enabled=true,networkPolicy.enabled=false'],
      'opensearch.enabled needs networkPolicy.enabled',
    ],
    [
      'a probe that has its time',
      [...API, '--set', 'defaults.probes.readiness.timeoutSeconds=1'],
      'timeoutSeconds',
    ],
  ])('asks for %s', async (_, args, sentence) => {
    await expect(render(args)).rejects.toThrow(sentence)
  })

  test('keeps secrets out of everything but Secrets', async () => {
    for (const name of valueSets) {
      const objects = objectsOf(await render(valuesOf(name)))
      const secrets = ofKind(objects, 'Secret').flatMap(({ data = {}, stringData = {} }) => [
        ...Object.values<string>(data).map((text) => Buffer.from(text, 'base64').toString()),
        ...Object.values<string>(stringData),
      ])
      const rest = JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'))
      for (const secret of secrets) expect(rest).not.toContain(secret.trim())
    }
  })

  test('gives functions the internal key alone, and a way to the world that passes no store', async () => {
    const objects = objectsOf(await render(valuesOf('production')))
    const functions = named(objects, 'Deployment', 'demo-platform-functions')
    const environment = environmentOf(functions)
    const references = Object.entries(environment).filter(([, value]) => typeof value === 'object')
    expect(references.map(([name]) => name)).toEqual(['INTERNAL_API_KEY'])
    expect(functions.spec.template.spec.volumes.map(({ name }: { name: string }) => name)).toEqual([
      'tmp',
      'company',
    ])
    for (const name of ['runtime', 'workspaces'])
      expect(environmentOf(named(objects, 'Deployment', `demo-platform-${name}`)).FUNCTIONS_URL).toBe(
        'http://demo-platform-functions:4000',
      )
    const policy = (name: string) => named(objects, 'NetworkPolicy', `demo-platform-${name}`).spec
    const [expression] = policy('outbound').podSelector.matchExpressions
    expect(expression).toMatchObject({ operator: 'NotIn', values: expect.arrayContaining(['functions']) })
    const peers = policy('functions-outbound').egress.flatMap(({ to = [] }: { to?: object[] }) => to)
    expect(JSON.stringify(peers)).not.toContain('podSelector')
    expect(peers).toContainEqual({ ipBlock: { cidr: '10.30.0.0/16' } })
    const world = peers.find((peer: { ipBlock: { cidr: string } }) => peer.ipBlock.cidr === '0.0.0.0/0')
    expect(world.ipBlock.except).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16']))
    const [{ from }] = policy('functions').ingress
    expect(from).toMatchObject([
      { podSelector: { matchExpressions: [{ values: ['runtime', 'workspaces'] }] } },
    ])
    const without = objectsOf(await render(valuesOf('inside')))
    expect(without.filter(({ metadata }) => /functions/.test(metadata.name))).toEqual([])
    expect(environmentOf(named(without, 'Deployment', 'demo-platform-runtime'))).not.toHaveProperty(
      'FUNCTIONS_URL',
    )
  })

  test('lets only the gateway be reached from outside, and no pod reach the metadata of a cloud', async () => {
    const objects = objectsOf(await render(valuesOf('inside')))
    const policies = ofKind(objects, 'NetworkPolicy')
    const open = policies.filter(({ spec }) =>
      spec.ingress?.some((rule: { from?: object }) => rule.from === undefined),
    )
    expect(open.map(({ metadata }) => metadata.name)).toEqual(['demo-platform-api-gateway'])
    const { egress } = named(objects, 'NetworkPolicy', 'demo-platform-outbound').spec
    const blocks = egress.flatMap(({ to = [] }: { to?: { ipBlock?: { except: string[] } }[] }) =>
      to.flatMap(({ ipBlock }) => ipBlock?.except ?? []),
    )
    expect(blocks).toEqual(expect.arrayContaining(['169.254.0.0/16', 'fd00:ec2::254/128']))
    const production = objectsOf(await render(valuesOf('production')))
    const outbound = JSON.stringify(named(production, 'NetworkPolicy', 'demo-platform-outbound').spec)
    expect(outbound).toContain('10.20.0.0/16')
    expect(outbound).toContain('192.168.0.0/16')
  })
})
