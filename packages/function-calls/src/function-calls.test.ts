import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { customCodeSettings, customCodeVariables, FunctionFailure } from '@platform/custom-code'
import { createLogger } from '@platform/logging'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openFunctionCalls, requestSize } from './index.ts'

const settings = customCodeSettings(z.object(customCodeVariables).parse({}))
const openAt = (url: string | undefined) =>
  openFunctionCalls({
    functions: { ...settings, url },
    internalApiKey: 'key',
    log: createLogger({ level: 'silent' }),
  })

/** A service that answers as the one that runs functions may. */
async function serve(listener: RequestListener, port = 0) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: taken } = server.address() as AddressInfo
  return {
    port: taken,
    url: `http://127.0.0.1:${taken}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const order = {
  workspaceId: 'w',
  name: 'f',
  language: 'javascript' as const,
  code: 'return 1',
  dependencies: [],
  parameterNames: [],
  parameters: {},
  timeoutMs: 1000,
  key: 'k',
}
const call = (calls: ReturnType<typeof openAt>) =>
  calls.call({ ...order, signal: AbortSignal.timeout(10_000) })

const answering = (body: unknown): RequestListener => {
  return (request, response) => {
    request.resume()
    response.end(JSON.stringify(body))
  }
}

describe('functions in a service of their own', () => {
  test('are asked for with the key of the platform, and fail as those beside the caller do', async () => {
    const keys: unknown[] = []
    await using server = await serve((request, response) => {
      keys.push(request.headers['x-platform-internal-key'])
      const failure = { reason: 'threw', message: 'No.', line: 3, logs: [], durationMs: 4 }
      answering({ failure })(request, response)
    })
    const failed: unknown = await call(openAt(server.url)).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(FunctionFailure)
    expect(failed).toMatchObject({
      reason: 'threw',
      message: 'No.',
      line: 3,
      column: undefined,
      durationMs: 4,
    })
    expect(keys).toEqual(['key'])
  })

  test('get the secrets that their parameters refer to; where functions run here nobody asks for them', async () => {
    const bodies: string[] = []
    await using server = await serve(async (request, response) => {
      for await (const chunk of request) bodies.push(String(chunk))
      response.end('{"result":1,"logs":[],"durationMs":1}')
    })
    const carried = [{ keyId: 'k1', bytes: 'b'.repeat(44), value: 'sk-1' }]
    await openAt(server.url).call({
      ...order,
      signal: AbortSignal.timeout(10_000),
      secrets: async () => carried,
    })
    expect(JSON.parse(bodies.join(''))).toMatchObject({ key: 'k', secrets: carried })
    await using here = openAt(undefined)
    const secrets = () => Promise.reject(new Error('Nobody asks.'))
    const signal = AbortSignal.timeout(20_000)
    const { result } = await here.call({ ...order, timeoutMs: 20_000, signal, secrets })
    expect(result).toBe(1)
  })

  test('that are away are 503 with a sentence; asked again soon, and there once it is back', async () => {
    const first = await serve(answering({}))
    const { port, url } = first
    await first[Symbol.asyncDispose]()
    const calls = openAt(url)
    const unavailable = {
      name: 'ServiceUnavailable',
      retryAfterSeconds: 1,
      message:
        'Functions can not be called now: the service that runs them does not answer. Try again shortly.',
    }
    for (let n = 0; n < 3; n += 1) await expect(call(calls)).rejects.toMatchObject(unavailable)
    await using _back = await serve(answering({ result: 7, logs: [], durationMs: 1 }), port)
    await expect
      .poll(
        () =>
          call(calls).then(
            ({ result }) => result,
            () => 'away',
          ),
        { timeout: 5000 },
      )
      .toBe(7)
  })

  test('end with whoever asked for them, for its own reason', async () => {
    await using server = await serve((request) => void request.resume())
    const gone = new AbortController()
    const calling = openAt(server.url).call({ ...order, signal: gone.signal })
    setTimeout(() => gone.abort(new Error('Nobody waits any more.')), 50)
    await expect(calling).rejects.toThrow('Nobody waits any more.')
  })
})

test('nothing is started before the first call', async () => {
  await openAt(undefined)[Symbol.asyncDispose]()
})

test.each([
  ['20mb', 20_000_000],
  ['1.5 KB', 1500],
  ['12', 12],
])('a size may be %s', (text, bytes) => expect(requestSize('1mb').parse(text)).toBe(bytes))

test('what is no size is refused, and none is the preset', () => {
  expect(requestSize('1mb').safeParse('many').success).toBe(false)
  expect(requestSize('1mb').parse(undefined)).toBe(1_000_000)
})
