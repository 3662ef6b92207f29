import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../testing.ts'
import { apiVersionsField, stateOf } from './api-version.ts'
import { versionCheck } from './choose-version.ts'

let service: Upstream
let gateway: TestGateway
beforeAll(async () => {
  service = await startUpstream()
  gateway = await startGateway({ services: service.url })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const versions = apiVersionsField.parse(undefined)
const at = (instant: string) => ({ now: () => new Date(instant) })

describe('a retired version', () => {
  test.each(['/v1', '/v1/', '/v1/workspaces', '/%76%31', '/%761/workspaces/x?y=1', '/v%31/login/anonymous'])(
    'is 410 whatever the spelling, verb and credential: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const response = await fetch(gateway.url + path, {
          method,
          headers: { authorization: 'Bearer nonsense' },
        })
        expect(response.status, method).toBe(410)
        expect(response.headers.get('link')).toBe('</v2>; rel="successor-version"')
        expect(await response.json()).toMatchObject({
          error: 'RetiredVersion',
          details: {
            version: 'v1',
            retiredAt: '2025-12-31T23:59:59Z',
            successor: 'v2',
            migrationGuide: expect.any(String),
          },
        })
      }
      expect(service.seen).toEqual([])
    },
  )

  test('is 410 for HEAD too', async () => {
    expect((await fetch(`${gateway.url}/v1/x`, { method: 'HEAD' })).status).toBe(410)
  })

  test('retires by the clock alone', () => {
    const [v1] = versions
    if (v1 === undefined) throw new Error('The table has no v1.')
    expect(stateOf(v1, new Date('2024-12-30T00:00:00Z'))).toBe('stable')
    expect(stateOf(v1, new Date('2025-12-31T23:59:58Z'))).toBe('deprecated')
    expect(stateOf(v1, new Date('2025-12-31T23:59:59Z'))).toBe('retired')
    const check = versionCheck({ versions, clock: at('2025-12-31T23:59:59Z') })
    expect(() => check('/v1')).toThrow('was retired')
  })
})

describe('an unknown version', () => {
  test.each(['/V1', '/v1.0', '/v01', '/v0', '/v3', '/v3/me', '/v4/x', '/V2/me', '/v2.1/me', '/v22'])(
    'is 404: %s',
    async (path) => {
      const response = await fetch(gateway.url + path)
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
        404,
        'UnknownVersion',
      ])
    },
  )
})

describe('the table of versions', () => {
  test('can be replaced, but not by nonsense', () => {
    expect(apiVersionsField.parse('[{"name":"v2"}]')).toEqual([{ name: 'v2' }])
    for (const text of ['', '[]', '{}', '[{"name":"2"}]', '[{"name":"v1","retiresAt":"soon"}]']) {
      expect(apiVersionsField.safeParse(text).success, text).toBe(false)
    }
  })
})
