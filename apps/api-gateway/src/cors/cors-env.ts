import { z } from 'zod'
import { variables } from '../variables.ts'

const host = /^(?=.{1,253}(?::|$))[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/

/** What decides which pages of other origins may read answers. */
export const corsEnv = z
  .object({
    API_URL: variables.API_URL,
    CONSOLE_URL: variables.CONSOLE_URL,
    CORS_ADDITIONAL_ALLOWED_ORIGINS: variables.CORS_ADDITIONAL_ALLOWED_ORIGINS,
    PAGES_HOST: z
      .string()
      .regex(host, 'must be a host name in lower case, with a port where there is one')
      .optional()
      .describe(
        'Pages live at names below this host; they may call the API with a token, not with the cookie.',
      ),
  })
  .transform((env) => ({
    origins: [env.API_URL, ...env.CONSOLE_URL, ...env.CORS_ADDITIONAL_ALLOWED_ORIGINS].flatMap(originOf),
    pagesHost: env.PAGES_HOST,
    pagesScheme: new URL(env.API_URL).protocol,
  }))

/** Opaque origins (`null`) and what is no address are never allowed, even when they are written there. */
const originOf = (url: string): string[] => {
  const origin = URL.parse(url)?.origin
  return origin === undefined || origin === 'null' ? [] : [origin]
}
