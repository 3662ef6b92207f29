import { createAccessToken, mergeMeta } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SignedIn } from '../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'
import { untilAdmitted } from '../../test/until-admitted.ts'

let gateway: TestIdentity
let ada: SignedIn
beforeAll(async () => {
  gateway = await startIdentity()
  ada = await gateway.signIn()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const merge = (body: Record<string, unknown>, headers: Record<string, string> = ada.headers) =>
  gateway.client(headers)(mergeMeta, { body })

describe('POST /v2/user/meta', () => {
  test('merges key by key and answers all of it', async () => {
    expect(await merge({ a: { x: 1 }, b: 2 })).toEqual({ a: { x: 1 }, b: 2 })
    expect(await merge({ a: { y: null }, c: 'é' })).toEqual({ a: { y: null }, b: 2, c: 'é' })
  })

  test('fifty merges at once lose nothing', async () => {
    const eve = await gateway.signIn()
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        untilAdmitted(() => merge({ [`key ${index}`]: index }, eve.headers)),
      ),
    )
    expect(Object.keys(await merge({}, eve.headers))).toHaveLength(50)
  })

  test('refuses more than an account keeps, and keeps what was there', async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, 1]))
    for (const body of [many, { big: 'x'.repeat(100_001) }, { '': 1 }])
      await expect(merge(body)).rejects.toMatchObject({ name: 'RequestValidationError' })
    expect(Object.keys(await merge({}))).toEqual(expect.arrayContaining(['a', 'b', 'c']))
  })

  test('needs an account', async () => {
    await expect(merge({}, {})).rejects.toMatchObject({ status: 401 })
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await gateway.client(ada.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    await expect(merge({}, { authorization: `Bearer ${token}` })).rejects.toMatchObject({ status: 403 })
  })
})
