import { port, readConfig, secret } from '@platform/config'
import { endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { StoreError } from '@platform/kernel'
import { z } from 'zod'
import type { Service, ServiceParts } from '../src/service.ts'

const INTERNAL_KEY = 'internal-key-of-the-tests-0123456789'
/** What a caller behind the gateway sends. */
export const credentials = { 'x-platform-internal-key': INTERNAL_KEY, 'x-platform-client-ip': '10.0.0.1' }

const tinyEnv = z.object({
  PORT: port(0),
  INTERNAL_API_KEY: secret.default(INTERNAL_KEY),
  STEPS: z.string().default(''),
})
const base = {
  summary: '',
  service: 'events',
  credential: 'none',
  method: 'get',
  response: z.unknown(),
  failures: [],
} as const

class Down extends StoreError {
  override readonly name = 'DatabaseError'
}

export interface TinyOptions {
  name?: Service['name']
  /** How often the store is down before `build` succeeds. */
  failures?: number
  parts?: Partial<ServiceParts>
  /** Called with what happens, in order. */
  note?: (step: string) => void
}

/** A service without any store: GET /hello answers at once, GET /slow when `finish` is called. */
export function tinyService({
  name = 'events',
  failures = 0,
  parts = {},
  note = () => {},
}: TinyOptions = {}) {
  const slow = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  let failuresLeft = failures
  const service: Service = {
    name,
    variables: [tinyEnv],
    address: (env) => ({ port: readConfig(tinyEnv, env).PORT, host: '127.0.0.1' }),
    async build(env) {
      note('build')
      if (failuresLeft-- > 0) throw new Down('connect ECONNREFUSED', { unavailable: true })
      const config = readConfig(tinyEnv, env)
      return {
        port: config.PORT,
        host: '127.0.0.1',
        internalApiKey: config.INTERNAL_API_KEY,
        readinessCacheTtlMs: 0,
        routes: [
          route(endpoint({ ...base, id: 'hello', path: '/hello' }), {
            handle: async () => ({ hello: true }),
          }),
          route(endpoint({ ...base, id: 'slow', path: '/slow' }), {
            async handle() {
              asked.resolve()
              await slow.promise
              return { slow: true }
            },
          }),
        ],
        subscriptions: [],
        jobs: [],
        checks: [{ module: 'cache', driver: 'memory', probe: async () => undefined }],
        ...parts,
      }
    },
  }
  return { service, finish: () => slow.resolve(), asked: asked.promise }
}
