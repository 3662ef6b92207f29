import type { Platform } from '@platform/testing/platform'
import { beforeAll, describe, expect, test } from 'vitest'
import { administrator, call } from './support/caller.ts'
import { shapes, sharedPlatform } from './support/shapes.ts'

const index = '/v2/platform/events/index'
const reindex = '/v2/platform/events/reindex'
const letters = '/v2/platform/events/dead-letters'

describe.each(shapes)('what operators do with events on $name', (shape) => {
  let platform: Platform
  let jwt: string
  let token: string
  beforeAll(async () => {
    platform = await sharedPlatform(shape)
    ;({ jwt, token } = await administrator(platform))
  })

  const key = () => ({ headers: { 'x-platform-api-key': platform.internalApiKey } })

  test('getEventIndex tells super administrators and the internal key how the index stands', async () => {
    for (const credential of [key(), { token: jwt }, { token }]) {
      const { status, json } = await call(platform.origin, 'GET', index, credential)
      expect([status, json.stage, json.answeredBy]).toEqual([200, 'none', 'log'])
    }
  })

  test('reindexEvents says that there is only the log', async () => {
    const { status, json } = await call(platform.origin, 'POST', reindex, key())
    expect([status, json.error]).toEqual([400, 'InvalidArgumentsError'])
    expect(json.message).toContain('SEARCH_URL')
  })

  test('listDeadLetters and replayDeadLetters find nothing where all is well', async () => {
    const listed = await call(platform.origin, 'GET', letters, key())
    expect([listed.status, listed.json]).toEqual([200, { deadLetters: [], next: null }])
    const body = { group: 'events' }
    const replayed = await call(platform.origin, 'POST', `${letters}/replay`, { ...key(), body })
    expect([replayed.status, replayed.json]).toEqual([200, { replayed: 0 }])
  })

  test('nobody else may, and what services offer each other is not there', async () => {
    const signedOut = await call(platform.origin, 'POST', '/v2/login/anonymous', { body: {} })
    const others: [object, number][] = [
      [{}, 401],
      [{ headers: { 'x-platform-api-key': 'x'.repeat(40) } }, 401],
    ]
    if (signedOut.status === 200) others.push([{ token: signedOut.json.token }, 403])
    for (const [credential, status] of others)
      for (const [method, path] of [
        ['GET', index],
        ['POST', reindex],
        ['GET', letters],
      ] as const)
        expect((await call(platform.origin, method, path, credential)).status).toBe(status)
    // showIndexState and requestReindex.
    for (const [method, path] of [
      ['GET', '/sys/events/index'],
      ['POST', '/sys/events/reindex'],
    ] as const)
      for (const credential of [key(), { token: jwt }, {}])
        expect((await call(platform.origin, method, path, credential)).status, path).toBe(404)
  })
})
