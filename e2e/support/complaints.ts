import type { PlatformProcess } from '@platform/testing/platform'
import type { Miss } from './steady-load.ts'

/** What a process warned of, or printed without its log. */
export const complaintsOf = (one: PlatformProcess): string[] =>
  one
    .output()
    .split('\n')
    .filter((line) => /"level":"(warn|error|fatal)"|^[^{]/.test(line))
    .map((line) => `${one.name} ${line.slice(0, 600)}`)

/** The first complaints within a second before each miss: they explain it. */
export function complaintsAbout(misses: readonly Miss[], complaints: readonly string[]): string[] {
  const timed = complaints.map((line) => ({
    line,
    at: Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? ''),
  }))
  const near = timed.filter(({ at }) =>
    misses.some((miss) => Date.parse(miss.at) - at >= -50 && Date.parse(miss.at) - at < 1000),
  )
  return near.map(({ line }) => line).slice(0, 60)
}
