import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Platform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call, newWorkspace } from './support/caller.ts'
import { sharedPlatform } from './support/shapes.ts'

const page = await readFile(new URL('../docs/live-events.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/^```(sh|js|js browser)\n(.+?)^```$/gms)].map(
  ([, language = '', code = '']) => ({ language, code, title: code.split('\n')[0] ?? '' }),
)

/** As a browser that is signed in: every request carries the cookie. */
async function startBrowser(origin: string, cookie: string) {
  const server = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, host: new URL(origin).host, cookie }
    const passed = request(`${origin}${incoming.url}`, { headers, method: incoming.method }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    incoming.pipe(passed)
    answer.once('close', () => passed.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return Object.assign(server, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

/** Runs code as whoever copies it does; answers what it has printed so far. */
function run(command: string, args: string[], env: Record<string, string>) {
  const child = spawn(command, args, {
    cwd: new URL('.', import.meta.url),
    env: { ...process.env, ...env },
    detached: true,
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  return {
    printed: () => printed,
    [Symbol.dispose]: () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    },
  }
}

describe('the examples of docs/live-events.md', () => {
  let platform: Platform
  let browser: Awaited<ReturnType<typeof startBrowser>>
  let token: string
  let workspaceId: string

  beforeAll(async () => {
    platform = await sharedPlatform()
    const { jwt, token: made } = await administrator(platform)
    token = made
    workspaceId = await newWorkspace(platform.origin, token)
    browser = await startBrowser(platform.origin, `access-token=${jwt}`)
  })
  afterAll(async () => {
    browser?.closeAllConnections()
    browser?.close()
  })

  test('are four', () => {
    expect(examples.map(({ language }) => language)).toEqual(['sh', 'js browser', 'js', 'js'])
  })

  test.for(examples)('$language: $title hears what is emitted', async ({ language, code }) => {
    const variables = { WORKSPACE_ID: workspaceId, API_URL: `${platform.origin}/v2`, TOKEN: token }
    const inPage = `const API_URL = '${browser.url}/v2', WORKSPACE_ID = '${workspaceId}'\n${code}`
    const node = ['--input-type=module', '--experimental-eventsource', '--eval']
    using example =
      language === 'sh'
        ? run('bash', ['-c', code], variables)
        : run(process.execPath, [...node, language === 'js' ? code : inPage], variables)
    let n = 0
    await vi.waitFor(
      async () => {
        n += 1
        const events = [
          { type: 'invoice.paid', payload: { n } },
          { type: 'order.placed', payload: { n } },
        ]
        const path = `/v2/workspaces/${workspaceId}/events`
        const answer = await call(platform.origin, 'POST', path, { token, body: { events } })
        expect(answer.status, answer.text).toBe(200)
        expect(example.printed()).toMatch(/order\.placed.*n\W+\d/)
      },
      { timeout: 30_000, interval: 300 },
    )
    expect(example.printed()).not.toContain('invoice.paid')
    if (code.includes('socket.io-client')) expect(example.printed()).toMatch(/emitted [0-9a-f-]{36}/)
  })
})
