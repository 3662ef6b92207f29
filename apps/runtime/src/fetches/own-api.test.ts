import { verifyRunToken } from '@platform/auth'
import { describe, expect, test } from 'vitest'
import { json, startOutside } from '../../test/outside.ts'
import { AUDIENCE, ISSUER, testOwnApi, testTokens } from '../../test/own-api.ts'
import { compiled, runMain, testEngine, testFetches } from '../../test/testing.ts'

describe('an address', () => {
  const apiUrl = 'https://api.example.com/v2'
  const internalApiUrl = 'http://gateway.internal:3001/v2'

  test.each([
    ['https://api.example.com/v2/me?a=1', 'http://gateway.internal:3001/v2/me?a=1'],
    ['https://API.example.com:443/v3/workspaces', 'http://gateway.internal:3001/v3/workspaces'],
    ['http://gateway.internal:3001/v2', 'http://gateway.internal:3001/v2'],
  ])('%s is our own API, from inside', async (given, expected) => {
    expect((await testOwnApi({ apiUrl, internalApiUrl })).inside(new URL(given))?.href).toBe(expected)
  })

  test.each([
    'http://api.example.com/v2/me',
    'https://api.example.com:8443/v2/me',
    'https://api.example.com./v2/me',
    'https://api.example.com.evil.test/v2/me',
    'https://evil.test/v2/me#https://api.example.com/v2',
    'https://api.example.com@evil.test/v2/me',
    'https://user:word@api.example.com/v2/me',
    'https://api.example.com/v2x/me',
    'https://api.example.com/oidc/token',
    'https://api.example.com/sys/readiness',
    'https://api.example.com/',
    'http://gateway.internal/v2/me',
    'https://gateway.internal:3001/v2/me',
  ])('%s is not', async (given) => {
    expect((await testOwnApi({ apiUrl, internalApiUrl })).inside(new URL(given))).toBeUndefined()
  })

  test('below a path of its own is found there', async () => {
    const own = await testOwnApi({ apiUrl: 'https://example.com/api/v2', internalApiUrl })
    expect(own.inside(new URL('https://example.com/api/v2/me'))?.href).toBe(
      'http://gateway.internal:3001/v2/me',
    )
    expect(own.inside(new URL('https://example.com/v2/me'))).toBeUndefined()
  })
})

/** A platform whose gateway is this server, and nothing else may be called on this machine. */
async function platform(answers?: Parameters<typeof startOutside>[0]) {
  const gateway = await startOutside(answers ?? ((_, response) => json(response, { ok: true })))
  const { keyRing, tokens } = await testTokens()
  const own = await testOwnApi({
    apiUrl: 'https://api.example.com/v2',
    internalApiUrl: `${gateway.url}/v2`,
    tokens,
    findApiKey: async (workspaceId, name) => (name === 'shop' ? `key-of-${workspaceId}` : undefined),
  })
  const fetches = testFetches({ allowedHosts: [] }, own)
  const engine = testEngine({ fetches })
  const claims = (token: unknown) =>
    verifyRunToken(String(token), 'call', {
      findKey: (kid) => keyRing.find(kid),
      issuer: ISSUER,
      audience: AUDIENCE,
      now: new Date(),
    })
  return {
    gateway,
    claims,
    run: (steps: object[], output: unknown, order = {}) =>
      runMain(compiled({ main: { do: steps as Record<string, unknown>[], output } }), {}, order, engine),
    async [Symbol.asyncDispose]() {
      await fetches[Symbol.asyncDispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}

const ask = (fields: object = {}) => ({
  fetch: { url: 'https://api.example.com/v2/workspaces/w/webhooks/x', output: 'r', ...fields },
})

describe('a fetch to the platform itself', () => {
  test('says whose run it comes from, though the gateway has a private address', async () => {
    await using it = await platform()
    const { output } = await it.run([ask()], '{{r.ok}}', { depth: 3 })
    expect(output).toBe(true)
    const [{ headers, url } = { headers: {} as Record<string, string>, url: '' }] = it.gateway.got
    expect(url).toBe('/v2/workspaces/w/webhooks/x')
    expect(headers['x-correlation-id']).toBe('correlation-of-the-test')
    const claims = await it.claims(headers['x-platform-run-token'])
    expect(claims).toMatchObject({
      workspaceId: 'w0123456789abcde',
      runId: '01900000-0000-7000-8000-000000000000',
      depth: 4,
      correlationId: 'correlation-of-the-test',
      sub: 'ada',
      prismeaiSessionId: 'session-of-ada',
    })
    expect(claims.exp - claims.iat).toBe(10)
  })

  test('calls for whoever began the run, whosever contexts it works in', async () => {
    await using it = await platform()
    const set = (name: string, value: string) => ({ set: { name, value } })
    await it.run([set('user.id', 'eve'), set('session.id', 'session-of-eve'), ask()], 1)
    const claims = await it.claims(it.gateway.got[0]?.headers['x-platform-run-token'])
    expect(claims).toMatchObject({ sub: 'ada', prismeaiSessionId: 'session-of-ada' })
  })

  test('calls as nobody in a run that was made from another', async () => {
    await using it = await platform()
    await it.run([ask()], 1, { subject: { userId: 'ada', sessionId: 'session-of-ada', isAgain: true } })
    const claims = await it.claims(it.gateway.got[0]?.headers['x-platform-run-token'])
    expect(claims).not.toHaveProperty('sub')
  })

  test('calls as nobody where nobody began the run', async () => {
    await using it = await platform()
    await it.run([ask()], 1, { subject: {} })
    const claims = await it.claims(it.gateway.got[0]?.headers['x-platform-run-token'])
    expect(claims).not.toHaveProperty('sub')
  })

  test.each([
    ['forwardWorkspaceAuth', [ask({ auth: { prismeai: { forwardWorkspaceAuth: true } } })]],
    [
      'auth',
      [{ auth: { workspace: true, output: 'p' } }, ask({ headers: { Authorization: 'Bearer {{p.jwt}}' } })],
    ],
  ])('with %s it is the workspace’s own call, and nobody’s whom it acts for', async (_, steps) => {
    await using it = await platform()
    await it.run(steps, 1)
    const { headers } = it.gateway.got[0] ?? { headers: {} as Record<string, string> }
    expect(headers.authorization).toBeUndefined()
    const claims = await it.claims(headers['x-platform-run-token'])
    expect(claims).toMatchObject({ asWorkspace: true, workspaceId: 'w0123456789abcde' })
    expect(claims).not.toHaveProperty('sub')
  })

  test('is made with a key of the workspace by its name, whose id alone it knows', async () => {
    await using it = await platform()
    await it.run([ask({ prismeaiApiKey: { name: 'shop' } })], 1)
    const claims = await it.claims(it.gateway.got[0]?.headers['x-platform-run-token'])
    expect(claims).toMatchObject({ apiKeyId: 'key-of-w0123456789abcde', sub: 'ada' })
  })

  test('is not made with a key that is not there', async () => {
    await using it = await platform()
    const { output } = await it.run([ask({ prismeaiApiKey: { name: 'gone' } })], '{{r.error}}')
    expect(output).toMatchObject({ name: 'IdentityRefused', message: expect.stringContaining('"gone"') })
    expect(it.gateway.got).toEqual([])
  })

  test('keeps a credential and a correlation id of its own', async () => {
    await using it = await platform()
    const headers = {
      Authorization: 'Bearer at:mine',
      'x-correlation-id': 'my-own-name',
      'x-platform-run-token': 'x',
    }
    await it.run([ask({ headers })], 1)
    const got = it.gateway.got[0]?.headers ?? {}
    expect(got.authorization).toBe('Bearer at:mine')
    expect(await it.claims(got['x-platform-run-token'])).toMatchObject({ correlationId: 'my-own-name' })
  })

  test('leaves nothing of it to who answers with a redirect elsewhere', async () => {
    await using elsewhere = await startOutside()
    await using it = await platform((_, response) =>
      response.writeHead(307, { location: elsewhere.url }).end(),
    )
    const { output } = await it.run([ask()], '{{r.error.name}}')
    expect(output).toBe('OutboundRefused')
    expect(elsewhere.got).toEqual([])
  })

  test('leaves nothing of it to another origin that may be called', async () => {
    await using elsewhere = await startOutside()
    await using it = await platform((_, response) =>
      response.writeHead(307, { location: elsewhere.url }).end(),
    )
    const own = await testOwnApi({
      apiUrl: 'https://api.example.com/v2',
      internalApiUrl: `${it.gateway.url}/v2`,
    })
    await using fetches = testFetches({}, own)
    const main = { do: [ask({ method: 'post', body: { a: 1 } })], output: '{{r}}' }
    const { output } = await runMain(compiled({ main }), {}, {}, testEngine({ fetches }))
    expect(output).toBe('outside')
    expect(
      Object.keys(elsewhere.got[0]?.headers ?? {}).filter((name) => /^x-|^authorization/.test(name)),
    ).toEqual([])
  })

  test('shows its token nowhere: not in events, nor in the failure of the call', async () => {
    await using it = await platform((_, response) => json(response, { no: 1 }, 500))
    const { events } = await it.run([{ auth: { workspace: true, output: 'p' } }, ask()], '{{p.jwt}}')
    const token = String(it.gateway.got[0]?.headers['x-platform-run-token'])
    expect(JSON.stringify(events)).not.toContain(token)
    expect(JSON.stringify(events)).not.toMatch(/eyJ[\w-]+\.eyJ/)
    expect(JSON.stringify(events)).toContain('runtime.fetch.failed')
  })
})

describe('a fetch to any other address', () => {
  test('says nothing of the run, and the guard holds', async () => {
    await using it = await platform()
    const url = `${it.gateway.url}/other`
    const { output } = await it.run([{ fetch: { url, output: 'r' } }], '{{r.error.name}}')
    expect(output).toBe('OutboundRefused')
  })

  test.each([{ prismeaiApiKey: { name: 'shop' } }, { auth: { prismeai: { forwardWorkspaceAuth: true } } }])(
    'is refused with %j',
    async (fields) => {
      await using it = await platform()
      const { failed } = await it.run([{ fetch: { url: 'https://elsewhere.example', ...fields } }], 1)
      expect(failed?.failure).toMatchObject({ name: 'InvalidInstructionError' })
      expect(failed?.failure.message).toContain('elsewhere.example is not this platform')
    },
  )

  test('gets a proof that counts nowhere', async () => {
    const { tokens } = await testTokens()
    const frame = { workspaceId: 'w1', runId: 'r1', depth: 1, correlationId: 'c' }
    const proof = await tokens.proofOf(frame)
    expect(await tokens.isProof(proof, frame)).toBe(true)
    expect(await tokens.isProof(proof, { ...frame, workspaceId: 'w2' })).toBe(false)
    expect(await tokens.isProof(await tokens.ofCall(frame, { asWorkspace: true }), frame)).toBe(false)
    expect(await (await testTokens()).tokens.isProof(proof, frame)).toBe(false)
  })
})

test('a proof counts in its run for as long as that goes on, and in others for ten seconds', async () => {
  let now = Date.now()
  const { tokens } = await testTokens({ now: () => new Date(now) })
  const frame = { workspaceId: 'w1', runId: 'r1', depth: 1, correlationId: 'c' }
  const proof = await tokens.proofOf(frame)
  expect(await tokens.isProof(proof, { ...frame, runId: 'r2' })).toBe(true)
  now += 11_000
  expect(await tokens.isProof(proof, { ...frame, runId: 'r2' })).toBe(false)
  expect(await tokens.isProof(proof, frame)).toBe(true)
})
