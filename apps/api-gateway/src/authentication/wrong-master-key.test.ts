import { listAudit } from '@platform/contracts'
import { sql } from '@platform/database'
import { spawnPlatform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'

const bytes = (fill: number) => Buffer.alloc(32, fill).toString('base64')
const EC = { JWKS_KTY: 'EC', JWKS_ALG: 'ES256', JWKS_SIZE: '256' }
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway({ env: EC })
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('a start with a master key that has not sealed the signing keys', () => {
  test.each([
    ['other bytes', `test:${bytes(8)}`, 'is not the one that sealed gateway.signing_keys'],
    ['the same bytes under another id', `other:${bytes(7)}`, 'has no key "test"'],
    ['another one first and other bytes', `next:${bytes(1)},test:${bytes(8)}`, 'is not the one that sealed'],
  ])(
    'with %s the gateway says so, ends with 1 and makes no new key',
    async (_, masterKeys, sentence) => {
      const stored = () =>
        gateway.database.many(sql`select kid, sealed_jwk from gateway.signing_keys order by kid`)
      const trail = async () => (await gateway.client(gateway.internalHeaders)(listAudit))[0]?.sequence
      const [before, rowsBefore] = [await stored(), await trail()]
      const started = spawnPlatform('gateway', 'apps/api-gateway/src/main.ts', {
        NODE_ENV: 'test',
        HOST: '127.0.0.1',
        PORT: '0',
        DATABASE_URL: gateway.databaseUrl,
        INTERNAL_API_KEY: 'internal-key-of-the-tests-0123456789',
        SESSION_COOKIES_SIGN_SECRET: 'cookie-secret-of-the-tests-0123456789',
        SECRETS_MASTER_KEYS: masterKeys,
        ...EC,
      })
      const late = setTimeout(() => started.child.kill('SIGKILL'), 30_000)
      const code = await new Promise((resolve) => started.child.once('exit', resolve))
      clearTimeout(late)
      expect(started.output()).toContain(sentence)
      expect(started.output()).not.toMatch(/^\s+at /m)
      expect(code).toBe(1)
      expect(await stored()).toEqual(before)
      expect(await trail()).toBe(rowsBefore)
    },
    60_000,
  )
})
