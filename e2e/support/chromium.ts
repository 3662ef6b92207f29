import { existsSync } from 'node:fs'

/** Where Chromium is; undefined where there is none. Throws then under REQUIRE_SERVERS=1. */
export function chromiumPath(): string | undefined {
  const path = process.env.CHROMIUM ?? '/usr/bin/chromium'
  if (existsSync(path)) return path
  if (process.env.REQUIRE_SERVERS === '1') throw new Error('CHROMIUM must name a Chromium to drive.')
  console.warn('SKIPPED: the client in Chromium; set CHROMIUM to its path to test it.')
  return undefined
}
