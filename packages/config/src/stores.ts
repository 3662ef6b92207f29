import { z } from 'zod'
import { inSecret, passwordOf } from './secrets.ts'

/** Words of the remedy where a URL can't be read, most often because of its password. */
const unreadable = (password: string) => ({
  error: `can't be read: percent-encode what is special in its user and password, or give the password in ${password}`,
})

/** Where every service finds its stores. A password stands in the URL, or in a variable of its own. */
export const storeVariables = {
  DATABASE_URL: inSecret(
    z
      .string({ error: 'is required' })
      .refine((url) => !/^postgres/.test(url) || URL.canParse(url), unreadable('DATABASE_PASSWORD'))
      .describe('postgres://user:password@host:5432/name or embedded:<directory>.'),
  ),
  DATABASE_PASSWORD: passwordOf('DATABASE_URL'),
  CACHE_URL: inSecret(
    z
      .string()
      .refine((url) => !/^redis/.test(url) || URL.canParse(url), unreadable('CACHE_PASSWORD'))
      .default('memory:')
      .describe('redis://user:password@host:6379 or memory:.'),
  ),
  CACHE_PASSWORD: passwordOf('CACHE_URL'),
  BROKER_URL: inSecret(
    z
      .string()
      .default('postgres:')
      .describe('nats://user:password@host:4222 or postgres: for the database of the service.'),
  ),
  BROKER_PASSWORD: passwordOf('BROKER_URL'),
}
