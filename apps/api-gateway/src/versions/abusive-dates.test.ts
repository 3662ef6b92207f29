import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { abusiveDates } from '../../test/abusive-dates.ts'
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../test/start-gateway.ts'

let service: Upstream
let gateway: TestGateway
beforeAll(async () => {
  service = await startUpstream()
  gateway = await startGateway({ services: service.url })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

/** As raw as a client may send it: fetch would refuse half of the values. */
const send = (value: string | string[], path: string) =>
  new Promise<{ status: number; error: string }>((resolve, reject) => {
    const sent = request(gateway.url + path, { headers: { 'x-platform-api-version': value } })
    sent.on('error', reject)
    sent.on('response', (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += chunk))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, error: JSON.parse(text).error }))
    })
    sent.end()
  })

/** A header holds bytes: what others write reaches us as these. */
const asBytes = (text: string) => Buffer.from(text).toString('latin1')

test('each abuse of X-Platform-API-Version is 400 InvalidApiVersion, at every major and before all else', async () => {
  for (const text of abusiveDates) {
    for (const path of ['/v2/login/providers', '/v3/workspaces', '/v2/nothing']) {
      const answer = await send(asBytes(text), path)
      expect(answer, `${path} ${text.slice(0, 60)}`).toEqual({ status: 400, error: 'InvalidApiVersion' })
    }
  }
  expect(service.seen).toEqual([])
}, 60_000)

test('two dates are 400, and where no version is there is nothing to ask for', async () => {
  expect((await send(['2025-01-01', '2025-01-02'], '/v2/login/providers')).status).toBe(400)
  expect((await send('nonsense', '/')).status).toBe(200)
})
