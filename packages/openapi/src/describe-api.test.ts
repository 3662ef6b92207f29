import { endpoint, instructionSchemas } from '@platform/contracts'
import { failures, isRecord } from '@platform/kernel'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Json } from './declared.ts'
import { declaredEndpoints } from './declared.ts'
import { describeApi } from './describe-api.ts'
import { failureExamples } from './failure-examples.ts'

const document = describeApi({ origin: 'https://api.example.com' })
const components = document.components as Record<string, Record<string, Json>>
const operations = Object.entries(document.paths as Record<string, Json>).flatMap(([path, verbs]) =>
  Object.entries(verbs as Record<string, Json>).map(([method, operation]) => ({ path, method, operation })),
)
const operationNamed = (id: string): Json => {
  const found = operations.find(({ operation }) => operation.operationId === id)
  if (found === undefined) throw new Error(`There is no operation ${id}.`)
  return found.operation
}

const walk = (value: unknown, visit: (json: Json) => void): void => {
  if (Array.isArray(value)) for (const one of value) walk(one, visit)
  else if (isRecord(value)) {
    visit(value)
    for (const one of Object.values(value)) walk(one, visit)
  }
}

const sample = (parts: object) => {
  const contract = endpoint({
    id: 'makeThing',
    summary: 'Makes a thing.',
    service: 'workspaces',
    credential: 'none',
    method: 'post',
    path: '/v2/things/:thingId',
    response: z.object({ id: z.string() }),
    failures: ['ObjectNotFoundError'],
    ...parts,
  })
  const made = describeApi({ origin: 'http://x' }, [contract]).paths as Record<string, Record<string, Json>>
  const [operation] = Object.values(made['/v2/things/{thingId}'] ?? {})
  return operation as Json & { responses: Record<string, Json>; parameters: Json[] }
}

describe('the description of the API', () => {
  test('holds every operation the contracts declare but the internal ones', () => {
    const published = declaredEndpoints.filter(
      ({ credential, method }) => credential !== 'internal' && method !== 'all',
    )
    const ids = new Set(operations.map(({ operation }) => operation.operationId))
    expect(published.filter(({ id }) => !ids.has(id))).toEqual([])
    const internal = declaredEndpoints.filter(({ credential }) => credential === 'internal')
    expect(internal.length).toBeGreaterThan(0)
    expect(internal.filter(({ id }) => ids.has(id))).toEqual([])
    expect(JSON.stringify(document)).not.toContain('/sys/sample-workspace')
  })

  test('describes what no contract declares: probes and the OIDC server', () => {
    expect(Object.keys(document.paths as object)).toEqual(
      expect.arrayContaining([
        '/',
        '/sys/livez',
        '/sys/readyz',
        '/oidc/jwks',
        '/oidc/auth',
        '/oidc/token',
        '/oidc/me',
        '/oidc/token/introspection',
        '/oidc/token/revocation',
        '/oidc/session/end',
        '/.well-known/openid-configuration',
      ]),
    )
  })

  test('describes every instruction a step may be', () => {
    const { Instruction, SetArguments } = Object(components.schemas)
    expect(Object.keys(Instruction.properties)).toEqual(Object.keys(instructionSchemas))
    expect(SetArguments.required).toContain('name')
  })

  test('refers only to what is there, and holds nothing nobody refers to', () => {
    const used = new Set<string>()
    walk(document, ({ $ref }) => typeof $ref === 'string' && used.add($ref))
    const held = Object.entries(components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, all]) => Object.keys(all).map((name) => `#/components/${kind}/${name}`))
    expect([...used].filter((one) => !held.includes(one))).toEqual([])
    expect(held.filter((one) => !used.has(one))).toEqual([])
  })

  test('names every operation once, with a known tag, known credentials and an answer for whoever is wrong', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = (document.tags as { name: string }[]).map(({ name }) => name)
    for (const { path, method, operation } of operations) {
      const about = `${method} ${path}`
      expect(tags, about).toEqual(expect.arrayContaining(operation.tags as string[]))
      expect(
        Object.keys(operation.responses as Json).some((status) => status.startsWith('4')),
        about,
      ).toBe(true)
      for (const name of (operation.security as Json[]).flatMap(Object.keys))
        expect(Object.keys(components.securitySchemes ?? {}), about).toContain(name)
    }
  })

  test('writes what contracts name once: a schema that is sent otherwise than answered has two names', () => {
    const body = JSON.stringify(operationNamed('emitEvents').requestBody)
    expect(body).toContain('#/components/schemas/EventInput"')
    expect(JSON.stringify(operationNamed('patchUser').responses)).toContain('#/components/schemas/User"')
    expect(JSON.stringify(document).length / operations.length).toBeLessThan(3500)
  })

  test('says of every path parameter what it means', () => {
    const vague = operations.flatMap(({ path, operation }) =>
      ((operation.parameters ?? []) as Json[])
        .filter(({ in: place, name, description }) => place === 'path' && description === `The ${name}.`)
        .map(({ name }) => `${path}: ${name}`),
    )
    expect(vague).toEqual([])
  })

  test('shows digits of a query as numbers with their bounds', () => {
    const limit = (operationNamed('listEvents').parameters as Json[]).find(({ name }) => name === 'limit')
    expect(limit?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 50 })
  })

  test('has an example of every failure in the one shape', () => {
    for (const [name, { value }] of Object.entries(failureExamples)) {
      expect(Object.keys(failures)).toContain(name)
      expect(value).toMatchObject({ error: name, message: expect.stringMatching(/^\S.*\.$/) })
    }
  })
})

describe('an operation', () => {
  test('without a credential still says what a bad one gets', () => {
    const { security, responses } = sample({})
    expect(security).toEqual([])
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['400', '401', '403', '404', '500', '503', '504']),
    )
  })

  test('with a scope names it, and takes no token where people must act themselves', () => {
    expect(sample({ credential: 'required', scope: 'workspaces:write' }).security).toEqual([
      { jwt: ['workspaces:write'] },
      { accessToken: [] },
      { cookie: ['workspaces:write'], csrfToken: [] },
    ])
    const own = describeApi({ origin: 'http://x' }).paths as Record<string, Record<string, Json>>
    expect(own['/v2/user/sessions']?.get?.security).toEqual([{ jwt: [] }, { cookie: [] }])
    expect(own['/v2/readiness']?.get?.security).toContainEqual({ internalKey: [] })
    expect(own['/v2/workspaces/{workspaceId}']?.get?.security).toContainEqual({ apiKey: [] })
    expect(own['/v2/workspaces']?.get?.security).not.toContainEqual({ apiKey: [] })
  })

  test('with limits tells them, their headers and 429', () => {
    const operation = sample({ limits: ['upload'] })
    expect(operation['x-rate-limits']).toMatchObject([{ name: 'uploads', seconds: 60, per: 'caller' }])
    expect(Object.keys(operation.responses)).toContain('429')
    expect(Object.keys(operation.responses['200']?.headers as Json)).toContain('RateLimit')
  })

  test('that may be repeated safely reads Idempotency-Key and answers 409 and 422', () => {
    const operation = sample({ idempotent: 'secret' })
    expect(operation.parameters).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' })
    expect(operation.responses['409']).toEqual({
      $ref: '#/components/responses/AlreadyCreated.IdempotencyKeyInUse.OutcomeUnknown',
    })
    expect(Object.keys(operation.responses)).toContain('422')
  })

  test('on one resource reads If-None-Match and answers 304, or reads If-Match and answers 412', () => {
    const read = sample({ method: 'get', etag: true })
    expect(read.parameters).toContainEqual({ $ref: '#/components/parameters/IfNoneMatch' })
    expect(read.responses['304']).toBeDefined()
    const change = sample({ method: 'patch', etag: true })
    expect(change.parameters).toContainEqual({ $ref: '#/components/parameters/IfMatch' })
    expect(change.responses['412']).toBeDefined()
  })

  test('reads JSON or YAML where it reads an automation, and any bytes where it says so', () => {
    const automation = sample({ bodyKind: 'automation', body: z.object({}) }).requestBody as Json
    expect(Object.keys(automation.content as Json)).toEqual(['application/json', 'application/yaml'])
    const bytes = sample({ bodyKind: 'bytes', body: z.unknown() }).requestBody as Json
    expect(Object.keys(bytes.content as Json)).toEqual(['*/*'])
  })

  test('that leads on has no body, and other answers stand beside failures', () => {
    expect(sample({ status: 303, mediaTypes: [] }).responses['303']?.content).toBeUndefined()
    const report = { status: 400, summary: 'A report.', response: z.object({ ok: z.boolean() }) }
    const { responses } = sample({ otherAnswers: [report] })
    expect(JSON.stringify(responses['400'])).toContain('anyOf')
  })
})
