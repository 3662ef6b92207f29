import { getStatus } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('GET /', () => {
  test('says that the gateway is up, without a credential', async () => {
    expect(await gateway.client()(getStatus)).toEqual({
      status: 'ok',
      name: 'api-gateway',
      version: '0.0.0-test',
    })
  })

  test('touches no store, so a credential is not even looked at', async () => {
    const answer = await gateway.client({ authorization: 'Bearer nonsense' })(getStatus)
    expect(answer).toMatchObject({ status: 'ok' })
  })

  test('says no more to a signed-in caller', async () => {
    const ada = await gateway.signIn()
    expect(Object.keys(await gateway.client(ada.headers)(getStatus)).sort()).toEqual([
      'name',
      'status',
      'version',
    ])
  })

  test('knows no other method', async () => {
    const response = await fetch(gateway.url, { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})
