import type { Platform } from '@platform/testing/platform'
import { Browser } from '../../e2e/support/browser.ts'
import type { Figure } from '../measure/figure.ts'
import { sendPaced } from './paced.ts'

const GUESSES_PER_SECOND = 20
const SECONDS = 15

/**
 * Password guesses at one of many sign-in pages, while somebody asks the cheapest thing there is: what the event loop
 * lags.
 */
export async function wrongPasswords(platform: Platform): Promise<Figure[]> {
  const watch = {
    url: `${platform.origin}/`,
    authorization: '',
    issuer: '',
    perSecond: 100,
    connections: 8,
    durationMs: SECONDS * 1000,
  }
  const [lag, guesses] = await Promise.all([sendPaced(watch), guess(platform)])
  return [
    { name: 'identity: wrong passwords checked', value: guesses / SECONDS, unit: '/s' },
    { name: 'identity: GET / p99 meanwhile', value: lag.p99Ms, unit: 'ms', needed: 50 },
    { name: 'identity: GET / slowest meanwhile', value: lag.maxMs, unit: 'ms' },
  ]
}

/**
 * Each guess at an address of its own, known and unknown ones in turn, so that no limit of an account is in the way.
 */
async function guess(platform: Platform): Promise<number> {
  const browser = new Browser(platform.origin)
  const page = await browser.open(`${platform.origin}/signin`)
  const pending: Promise<unknown>[] = []
  let refused = 0
  for (let sent = 0; sent < GUESSES_PER_SECOND * SECONDS; sent += 1) {
    const login = sent % 2 === 0 ? `nobody-${sent}@example.com` : 'admin@example.com'
    const attempt = browser.submit(page, { login, password: `wrong ${sent}` }).then(({ status }) => {
      if (status === 401) refused += 1
    })
    pending.push(attempt)
    await new Promise((resolve) => setTimeout(resolve, 1000 / GUESSES_PER_SECOND))
  }
  await Promise.all(pending)
  return refused
}
