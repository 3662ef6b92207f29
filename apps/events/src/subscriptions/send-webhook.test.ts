import { systemClock } from '@platform/kernel'
import { openOutbound } from '@platform/outbound'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { type Respond, startReceiver } from '../../test/subscription-fixture.ts'
import { sendWebhook } from './send-webhook.ts'
import { newSecret } from './subscription.ts'

const message = { id: '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33', body: '{"type":"a","data":{"text":"é"}}' }
const never = new AbortController().signal

async function sent(respond: Respond, more: { path?: string; headers?: Record<string, string> } = {}) {
  await using outbound = openOutbound({ allowed: ['127.0.0.1'] })
  const send = sendWebhook({ outbound, clock: systemClock, timeoutMs: 300 })
  await using receiver = await startReceiver(respond)
  const secret = newSecret()
  const url = new URL(more.path ?? '/hook', receiver.url).href
  const tried = await send({ url, headers: more.headers ?? {}, secrets: [secret] }, message, never)
  return { ...tried, got: receiver.got, secret }
}

describe('sending a webhook', () => {
  it('follows a redirect that keeps the body, without own headers to another host', async () => {
    await using elsewhere = await startReceiver()
    const headers = { 'x-key': 'header-value-1' }
    const { log, got } = await sent(
      (_, response) => response.writeHead(307, { location: elsewhere.url }).end(),
      { headers },
    )
    expect(log).toMatchObject({ outcome: 'delivered', status: 200 })
    expect(got[0]?.headers['x-key']).toBe('header-value-1')
    expect(elsewhere.got[0]?.headers['x-key']).toBeUndefined()
    expect(elsewhere.got[0]?.text).toBe(message.body)
    expect(elsewhere.got[0]?.headers['webhook-id']).toBe(message.id)
  })

  it.each([301, 302, 303])('takes %i for a refusal: what follows would be an empty GET', async (status) => {
    await using elsewhere = await startReceiver()
    const { log } = await sent((_, response) => response.writeHead(status, { location: elsewhere.url }).end())
    expect(log).toMatchObject({ outcome: 'refused', status })
    expect(elsewhere.got).toEqual([])
  })

  it('checks the address of a redirect like the first one', async () => {
    const { log } = await sent((_, response) =>
      response.writeHead(308, { location: 'http://127.0.0.2:8080/' }).end(),
    )
    expect(log).toMatchObject({ outcome: 'blocked', status: null })
  })

  it('follows three redirects and no more', async () => {
    const { log, got } = await sent((_, response) => response.writeHead(307, { location: '/hook' }).end())
    expect(log).toMatchObject({ outcome: 'blocked' })
    expect(got).toHaveLength(4)
  })

  it('gives up on an endpoint that does not answer in time', async () => {
    const { log } = await sent(() => {})
    expect(log).toMatchObject({
      outcome: 'timeout',
      status: null,
      error: 'The endpoint did not answer within 0.3 s.',
    })
  })

  it('says that nobody listens', async () => {
    await using outbound = openOutbound({ allowed: ['127.0.0.1'] })
    const closed = await startReceiver()
    await closed[Symbol.asyncDispose]()
    const send = sendWebhook({ outbound, clock: systemClock, timeoutMs: 300 })
    const { log } = await send({ url: closed.url, headers: {}, secrets: [newSecret()] }, message, never)
    expect(log).toMatchObject({
      outcome: 'unreachable',
      error: 'The endpoint could not be reached (ECONNREFUSED).',
    })
  })

  it('takes a 200 for an arrival although its body never ends, and keeps 2 KB of it', async () => {
    const { log } = await sent((_, response) => void response.write('x'.repeat(100_000)))
    expect(log).toMatchObject({ outcome: 'delivered', status: 200, response: 'x'.repeat(2048) })
  })

  it('keeps an answer that is no text without what no text may hold', async () => {
    const { log } = await sent((_, response) => response.end(Buffer.from([0, 255, 0, 65])))
    expect(log.response).toBe('\uFFFDA')
  })

  it('reads how long the endpoint wants to be left alone', async () => {
    const { retryAfterMs } = await sent((_, response) =>
      response.writeHead(429, { 'retry-after': '120' }).end(),
    )
    expect(retryAfterMs).toBe(120_000)
  })
})

describe('a signature', () => {
  it('does not hold for anything but what was sent', async () => {
    const { got, secret } = await sent((_, response) => response.end())
    const { text = '', headers } = got[0] ?? {}
    const sentHeaders = headers as Record<string, string>
    const library = new Webhook(secret)
    expect(library.verify(text, sentHeaders)).toBeDefined()
    const id = String(sentHeaders['webhook-id'])
    const old = new Date(Date.now() - 600_000)
    const tampered: [string, string, Record<string, string>][] = [
      ['body', text.replace('"a"', '"b"'), {}],
      ['id', text, { 'webhook-id': `${id}0` }],
      ['timestamp', text, { 'webhook-timestamp': String(Number(sentHeaders['webhook-timestamp']) - 1) }],
      ['signature', text, { 'webhook-signature': 'v1,AAAA' }],
      ['key', text, { 'webhook-signature': new Webhook(newSecret()).sign(id, new Date(), text) }],
      [
        'replay',
        text,
        {
          'webhook-timestamp': String(Math.floor(old.getTime() / 1000)),
          'webhook-signature': library.sign(id, old, text),
        },
      ],
    ]
    for (const [what, body, change] of tampered)
      expect(() => library.verify(body, { ...sentHeaders, ...change }), what).toThrow()
  })
})
