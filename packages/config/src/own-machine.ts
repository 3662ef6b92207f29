import { z } from 'zod'

/** NODE_ENV, where it relaxes something. */
export const nodeEnv = z
  .string()
  .default('production')
  .describe('development relaxes what production refuses, for example plain http.')

/** Where a process listens, and where callers find it. */
interface Reached {
  readonly NODE_ENV: string
  readonly HOST: string
  readonly API_URL: string
}

/**
 * True only where the platform is reached from this machine alone: elsewhere its accounts would reach what listens
 * on it.
 */
export const isOwnMachine = ({ NODE_ENV, HOST, API_URL }: Reached): boolean =>
  NODE_ENV === 'development' && [HOST, new URL(API_URL).hostname].every(isLoopback)

const isLoopback = (host: string): boolean =>
  ['localhost', '::1', '[::1]'].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host)
