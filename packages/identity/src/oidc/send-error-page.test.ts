import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setRequestState } from '@platform/http'
import { Failure, StoreError } from '@platform/kernel'
import { errors } from 'oidc-provider'
import { describe, expect, it, vi } from 'vitest'
import { sendErrorPage } from './send-error-page.ts'

/** What a browser gets when a page throws `error`, and what is logged of it. */
async function answerTo(error: unknown, before: (response: ServerResponse) => void = () => undefined) {
  const log = { error: vi.fn() }
  const server = createServer((request, response) => {
    setRequestState(request, { correlationId: 'c1', log } as never)
    before(response)
    sendErrorPage(request, response, error, { origin: 'https://id.example' })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'accept-language': 'en' } })
    return { status: response.status, headers: response.headers, text: await response.text(), log }
  } catch (broken) {
    return { broken, log }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

describe('the page that says what went wrong', () => {
  it('tells what somebody can do about it, with the code for support and a way to start again', async () => {
    const { status, text, log } = await answerTo(new Failure('ForbiddenError', 'Ask <an> owner.'))
    expect(status).toBe(403)
    expect(text).toContain('Ask &lt;an&gt; owner.')
    expect(text).toContain('<code>c1</code>')
    expect(text).toContain('href="https://id.example/signin"')
    expect(log.error).not.toHaveBeenCalled()
  })

  it('says that a sign-in is over, which is no failure', async () => {
    const { status, text, log } = await answerTo(new errors.SessionNotFound('over'))
    expect(status).toBe(400)
    expect(text).toContain('This sign-in has expired')
    expect(log.error).not.toHaveBeenCalled()
  })

  it('keeps what nobody foresaw to the log', async () => {
    const { status, text, log } = await answerTo(new Error('column "hunter2" is missing'))
    expect(status).toBe(500)
    expect(text).not.toContain('hunter2')
    expect(log.error).toHaveBeenCalledWith(expect.objectContaining({ correlationId: 'c1' }), 'a page failed')
  })

  it('asks to come back when a store is down, without its name', async () => {
    class Down extends StoreError {
      override readonly name = 'DatabaseError'
    }
    const { status, headers, text } = await answerTo(new Down('db-7 is down', { unavailable: true }))
    expect(status).toBe(503)
    expect(headers?.get('retry-after')).toBe('1')
    expect(text).toContain('can’t do this right now')
    expect(text).not.toContain('db-7')
  })

  it('breaks off an answer that has begun, so that nobody takes it for a whole one', async () => {
    const begun = (response: ServerResponse) => {
      response.setHeader('content-length', '100')
      response.write('half')
    }
    const { broken, log } = await answerTo(new Error('late'), begun)
    expect(broken).toBeInstanceOf(TypeError)
    expect(log.error).toHaveBeenCalledWith(expect.anything(), 'a page broke off')
  })
})
