import { z } from 'zod'
import { flag, list } from './fields.ts'
import { inSecret } from './secrets.ts'

const proxy = () =>
  z.url({ protocol: /^https?$/, error: 'must be an address such as http://proxy.internal:3128' }).optional()

/** The proxies that calls to the outside go through. */
export const proxyVariables = {
  HTTP_PROXY: inSecret(
    proxy().describe(
      'Proxy of calls to addresses that begin with http://, for example http://user:password@proxy:3128.',
    ),
  ),
  HTTPS_PROXY: inSecret(proxy().describe('The same for https://: it is asked for a tunnel (CONNECT).')),
  NO_PROXY: list('').describe(
    'What is called without a proxy: names with those below them, addresses and ranges, each with a port or not; ' +
      '* is all. This machine always is.',
  ),
  PROXY_RESOLVES_NAMES: flag(false).describe(
    'true leaves names to the proxies, which must then refuse addresses inside; else names are resolved and checked ' +
      'here, and a tunnel is asked for by its address.',
  ),
}

/** As programs that go through proxies expect them. */
export interface ProxySettings {
  readonly http?: string | undefined
  readonly https?: string | undefined
  readonly except: readonly string[]
  readonly resolvesNames: boolean
}

export const proxySettings = (env: z.output<z.ZodObject<typeof proxyVariables>>): ProxySettings => ({
  http: env.HTTP_PROXY,
  https: env.HTTPS_PROXY,
  except: env.NO_PROXY,
  resolvesNames: env.PROXY_RESOLVES_NAMES,
})
