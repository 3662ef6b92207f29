import { requestReindex } from '@platform/contracts'
import { describe, expect } from 'vitest'
import { test } from '../../test/service-fixture.ts'

describe('POST /sys/events/reindex', () => {
  test('says what to do where there is no index', async ({ service }) => {
    for (const query of [{}, { workspace: 'k3x9w0a1b2c3d4e5' }])
      await expect(service.internal(requestReindex, { query })).rejects.toMatchObject({
        name: 'InvalidArgumentsError',
        message: expect.stringContaining('SEARCH_URL'),
      })
  })

  test('takes the id of a workspace only', async ({ service }) => {
    for (const workspace of ['', '*', 'a b', '../x', 'x'.repeat(101)])
      await expect(service.internal(requestReindex, { query: { workspace } })).rejects.toMatchObject({
        status: 400,
      })
    const headers = service.headersOf({ kind: 'internal' })
    const response = await fetch(`${service.url}/sys/events/reindex?all=1`, { method: 'POST', headers })
    expect(response.status).toBe(400)
  })

  test('is not for others', async ({ service }) => {
    for (const [client, status] of [
      [service.nobody, 401],
      [service.as({ superAdmin: true }), 403],
    ] as const)
      await expect(client(requestReindex, { query: {} })).rejects.toMatchObject({ status })
  })
})
