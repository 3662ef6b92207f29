import { showIndexState } from '@platform/contracts'
import { describe, expect } from 'vitest'
import { test } from '../../test/service-fixture.ts'

describe('GET /sys/events/index', () => {
  test('says that there is only the log where no index is configured', async ({ service }) => {
    expect(await service.internal(showIndexState)).toEqual({
      driver: 'postgres',
      stage: 'none',
      answeredBy: 'log',
      progress: null,
      startedAt: null,
      finishedAt: null,
      behind: null,
      rebuilding: [],
      shards: null,
      deadLetters: 0,
    })
  })

  test('is kept by nobody', async ({ service }) => {
    const headers = service.headersOf({ kind: 'internal' })
    const response = await fetch(`${service.url}/sys/events/index`, { headers })
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  })

  test('is not for others', async ({ service }) => {
    for (const [client, status] of [
      [service.nobody, 401],
      [service.as({ superAdmin: true }), 403],
    ] as const)
      await expect(client(showIndexState)).rejects.toMatchObject({ status })
  })
})
