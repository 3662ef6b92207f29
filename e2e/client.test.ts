import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient, workspaceSocket } from '@platform/client'
import { emitEvents } from '@platform/contracts'
import { type Platform, repositoryRoot, spawnPlatform } from '@platform/testing/platform'
import { chromium } from 'playwright-core'
import { rolldown } from 'rolldown'
import { io } from 'socket.io-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { administrator, newWorkspace } from './support/caller.ts'
import { chromiumPath } from './support/chromium.ts'
import { sharedPlatform } from './support/shapes.ts'

let platform: Platform
let jwt: string
let token: string
let workspaceId: string

beforeAll(async () => {
  platform = await sharedPlatform()
  const credentials = await administrator(platform)
  jwt = credentials.jwt
  token = credentials.token
  workspaceId = await newWorkspace(platform.origin, token)
})

describe('the client in a program', () => {
  test('does what the example of its README says', async () => {
    const readme = await readFile(`${repositoryRoot}packages/client/README.md`, 'utf8')
    const [, example = ''] = /^```ts\n(.+?)^```$/ms.exec(readme) ?? []
    const folder = await mkdtemp(join(repositoryRoot, 'e2e', '.example-'))
    try {
      const script = join(folder, 'example.ts')
      await writeFile(script, example)
      const program = spawnPlatform('example', script, { API_URL: `${platform.origin}/v2`, TOKEN: token })
      expect(await new Promise((resolve) => program.child.once('close', resolve))).toBe(0)
      expect(program.output()).toMatch(/^hello \{ to: 'Ada' \}\n400 RequestValidationError /)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('says where a socket of the workspace connects', async () => {
    const { url, options } = workspaceSocket({ baseUrl: `${platform.origin}/v2`, workspaceId, token })
    const socket = io(url, { ...options, forceNew: true })
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('connect', resolve)
        socket.once('connect_error', reject)
      })
      const heard = new Promise((resolve) => socket.onAny((type) => resolve(type)))
      const body = { events: [{ type: 'through.client', payload: {} }] }
      await createClient({ baseUrl: platform.origin, token })(emitEvents, { params: { workspaceId }, body })
      expect(await heard).toBe('through.client')
    } finally {
      socket.disconnect()
    }
  })
})

const executablePath = chromiumPath()

describe.skipIf(executablePath === undefined)('the client in Chromium', () => {
  test('calls with the cookie of a person, follows events, and tells errors', async () => {
    const script = await bundled(`
      import { createClient } from '@platform/client'
      import { emitEvents, getMe, getWorkspace, streamEvents } from '@platform/contracts'
      globalThis.visit = async (workspaceId) => {
        const api = createClient({ cookie: true })
        const me = await api.open(getMe)
        const csrfToken = me.headers.get('x-platform-csrf-token')
        const body = { events: [{ type: 'from.page', payload: { n: 1 } }] }
        const emit = () => createClient({ cookie: true, csrfToken })(emitEvents, { params: { workspaceId }, body })
        const events = api.events(streamEvents, { params: { workspaceId } })
        const emitting = setInterval(emit, 100)
        const { value } = await events.next()
        clearInterval(emitting)
        await events.return()
        const refused = await api(getWorkspace, { params: { workspaceId: 'nowhere' } }).catch((error) => error)
        const { error, status } = refused
        return { email: (await me.json()).email, heard: value.data, refused: { error, status } }
      }
    `)
    const browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: ['--no-sandbox', '--disable-gpu'],
    })
    try {
      const context = await browser.newContext({ bypassCSP: true })
      await context.addCookies([{ name: 'access-token', value: jwt, url: platform.origin }])
      const page = await context.newPage()
      await page.goto(platform.origin)
      await page.evaluate(script)
      expect(await page.evaluate(`visit('${workspaceId}')`)).toMatchObject({
        email: 'admin@example.com',
        heard: { type: 'from.page', payload: { n: 1 } },
        refused: { error: 'ObjectNotFoundError', status: 404 },
      })
    } finally {
      await browser.close()
    }
  })
})

/** As a page gets it: one script that needs nothing else. */
async function bundled(source: string): Promise<string> {
  const folder = await mkdtemp(join(repositoryRoot, 'e2e', '.page-'))
  try {
    const input = join(folder, 'page.ts')
    await writeFile(input, source)
    await using build = await rolldown({ input, platform: 'browser' })
    const { output } = await build.generate({ format: 'iife' })
    return output[0].code
  } finally {
    await rm(folder, { recursive: true })
  }
}
