import { checkFunction } from '@platform/contracts'
import { startTestService, type TestService } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { functions } from '../service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService(functions)
})
afterAll(() => service[Symbol.asyncDispose]())

const check = (code: string) =>
  service.internal(checkFunction, {
    body: { workspaceId: 'w', language: 'typescript', code, dependencies: [], parameterNames: [] },
  })

describe('POST /sys/functions/check', () => {
  test('finds nothing in what can run, and runs nothing of it', async () => {
    expect(await check('for (;;) {}')).toEqual({ problems: [] })
  })

  test('answers each problem with its place', async () => {
    expect(await check('const a = 1\nconst = 2')).toEqual({
      problems: [{ message: expect.any(String), line: 2, column: expect.any(Number) }],
    })
  })

  test('refuses a body that is none, and whoever is not the platform', async () => {
    const send = (headers: Record<string, string>) =>
      fetch(`${service.url}/sys/functions/check`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      })
    expect((await send(service.headersOf({ kind: 'internal' }))).status).toBe(400)
    expect((await send({})).status).toBe(401)
  })
})
