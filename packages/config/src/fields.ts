import { z } from 'zod'
import { inSecret } from './secrets.ts'

/** A whole number from 0, as digits. */
const whole = (unit: string) => {
  const error = `must be a whole number of ${unit}`
  return z.coerce.number({ error }).int({ error }).nonnegative({ error })
}

const PORT = 'must be a port number from 0 to 65535'
const anyPort = z.coerce.number({ error: PORT }).int({ error: PORT }).min(0, PORT).max(65_535, PORT)

/** A TCP port. */
export const port = (preset: number) => anyPort.default(preset)

/** A TCP port that may be unset, for example `WORKSPACES_PORT` beside `PORT`. */
export const optionalPort = () => anyPort.optional()

/** A whole number of seconds. */
export const seconds = (preset: number) => whole('seconds').default(preset)

/** A whole number of milliseconds. */
export const milliseconds = (preset: number) => whole('milliseconds').default(preset)

/** A whole number of days. */
export const days = (preset: number) => whole('days').default(preset)

/** A whole number without a unit. */
export const count = (preset: number) => whole('pieces').default(preset)

/** The same where 0 would make everything wait for ever. */
export const positiveCount = (preset: number) =>
  count(preset).refine((value) => value > 0, 'must be at least 1')

/** true, yes, 1, on or false, no, 0, off. */
export const flag = (preset: boolean) =>
  z
    .stringbool({
      truthy: ['true', 'yes', '1', 'on'],
      falsy: ['false', 'no', '0', 'off'],
      error: 'must be true or false',
    })
    .default(preset)

/** A comma list; empty entries are dropped. */
export const list = (preset: string) =>
  z
    .string()
    .default(preset)
    .transform((text) =>
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    )

const address = () => z.url({ protocol: /^https?$/, error: 'must be an http or https address' })
const withoutSlash = (text: string) => text.replace(/\/+$/, '')

/** An absolute http(s) address without a trailing slash. */
export const httpUrl = (preset: string) => address().default(preset).transform(withoutSlash)

/** As `httpUrl`, but may be unset: a default inside an optional would still apply. */
export const optionalHttpUrl = () => address().transform(withoutSlash).optional()

/** Words that published and trivial values are made of. */
const published = new RegExp(
  'change-?_?me|your|secret|passw(or)?d|local|client|id|test|development|default|example|internal|api|admin|' +
    'platform|key|token|please|insecure|qwerty|abcdef',
  'g',
)

/** A secret: no default, at least 16 characters, none of the values that documents and examples publish. */
export const secret = inSecret(
  z
    .string({ error: 'is required' })
    .min(16, 'must have at least 16 characters')
    .refine((text) => !isGuessable(text), {
      error: 'is a published or trivial value: generate one, for example with `openssl rand -base64 32`',
    }),
)

/** The rest without the well-known words must still be hard to guess. */
function isGuessable(text: string): boolean {
  const lower = text.toLowerCase()
  const rest = lower.replace(published, '').replace(/[^a-z0-9]/g, '')
  return new Set(rest).size < (rest.length <= lower.length / 2 ? 10 : 5)
}

const host =
  /^\.?(?=.{1,253}(?::|$))[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/

/** OPS_COMMAND, which whoever tells an operator what to type reads. */
export const opsCommand = z
  .string()
  .default('npm run -s ops --')
  .describe(
    'What an operator types for ops here, as the first start and the banner say it; images know theirs.',
  )

/** PAGES_HOST, which several services read; with or without the dot that stands before it in an address. */
export const pagesHost = z
  .string()
  .regex(host, 'must be a host name in lower case, with a port where there is one')
  .overwrite((text) => text.replace(/^\./, ''))
  .optional()
  .describe(
    'Pages live at names below this host; they may call the API with a token, not with the cookie. Automations see ' +
      'them as global.pagesUrl.',
  )
