import { z } from 'zod'

const whole = (name: string) =>
  z.coerce
    .number({ error: `must be a number of ${name}` })
    .int()
    .nonnegative()

/** A TCP port. */
export const port = (preset: number) => z.coerce.number().int().min(0).max(65_535).default(preset)

/** A whole number of seconds. */
export const seconds = (preset: number) => whole('seconds').default(preset)

/** A whole number of milliseconds. */
export const milliseconds = (preset: number) => whole('milliseconds').default(preset)

/** A whole number of days. */
export const days = (preset: number) => whole('days').default(preset)

/** A whole number without a unit. */
export const count = (preset: number) => whole('pieces').default(preset)

/** true, yes, 1, on or false, no, 0, off. */
export const flag = (preset: boolean) =>
  z.stringbool({ truthy: ['true', 'yes', '1', 'on'], falsy: ['false', 'no', '0', 'off'] }).default(preset)

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

/** An absolute http(s) address without a trailing slash. */
export const httpUrl = (preset: string) =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .default(preset)
    .transform((text) => text.replace(/\/+$/, ''))

const published = [
  'changeme',
  'change-me',
  'secret',
  'password',
  'local-client-id',
  'test',
  'development',
  'default',
]

/** A secret: no default, at least 16 characters, none of the values that documents and examples publish. */
export const secret = z
  .string({ error: 'is required' })
  .min(16, 'must have at least 16 characters')
  .refine((text) => !published.some((word) => text.toLowerCase() === word || new Set(text).size < 5), {
    error: 'is a published or trivial value: generate one, for example with `openssl rand -base64 32`',
  })
