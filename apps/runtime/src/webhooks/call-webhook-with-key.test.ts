import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey as keyOf } from '../../test/keys.ts'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime
let hello: TestWorkspace
let other: TestWorkspace

const guarded = {
  when: { endpoint: true },
  authorizations: { action: 'admin' },
  output: { id: '{{user.id}}', role: '{{user.role}}', session: '{{session.id}}' },
}

beforeAll(async () => {
  runtime = await startRuntime()
  hello = await runtime.workspace({ guarded, open: { when: { endpoint: true }, output: 'open' } })
  other = await runtime.workspace({ guarded, open: { when: { endpoint: true }, output: 'other' } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const newKey = (action: string) => keyOf(runtime, hello.id, action)

const call = async (workspace: TestWorkspace, path: string, headers: Record<string, string>) => {
  const answer = await runtime.call(workspace.id, path, { headers })
  return { status: answer.status, body: await answer.json() }
}

describe('a URL trigger called with an API key', () => {
  test('that may execute runs a guarded automation, with no user', async () => {
    const { headers } = await newKey('execute')
    const { status, body } = await call(hello, 'guarded', headers)
    expect(status).toBe(200)
    expect(Object.values(body as object).filter(Boolean)).toEqual([])
  })

  test('that may not execute is refused a guarded one with 403, and may call an open one as anybody may', async () => {
    const { headers } = await newKey('read')
    expect((await call(hello, 'guarded', headers)).status).toBe(403)
    expect(await call(hello, 'open', headers)).toEqual({ status: 200, body: 'open' })
  })

  test('of another workspace finds no guarded automation', async () => {
    const { headers } = await newKey('manage')
    const foreign = await call(other, 'guarded', headers)
    expect(foreign.status).toBe(404)
    expect(foreign).toEqual(await call(other, 'missing', headers))
    expect(await call(other, 'open', headers)).toEqual({ status: 200, body: 'other' })
  })

  test('beside a stranger opens a guarded automation, and the user stays who it is', async () => {
    const { id } = await newKey('execute')
    const principal = {
      kind: 'user' as const,
      userId: 'eve',
      sessionId: 's',
      via: 'jwt' as const,
      anonymous: false,
      superAdmin: false,
      scopes: ['webhooks'],
      clientId: undefined,
      email: undefined,
    }
    const alone = runtime.headersOf({ ...principal, apiKeyId: undefined })
    expect((await call(hello, 'guarded', alone)).status).toBe(404)
    const both = await call(hello, 'guarded', runtime.headersOf({ ...principal, apiKeyId: id }))
    expect(both).toMatchObject({ status: 200, body: { id: 'eve' } })
  })
})
