import { log } from './border.ts'

const MOST_CHARACTERS = 100_000

/** What a value looks like in a log: texts as they are, everything else as JSON where it is some. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Error) return String(value.stack ?? value)
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}

const writer =
  (level: string) =>
  (...values: unknown[]): void =>
    log(level, values.map(shown).join(' ').slice(0, MOST_CHARACTERS))

export const console = {
  debug: writer('debug'),
  trace: writer('debug'),
  log: writer('info'),
  info: writer('info'),
  warn: writer('warn'),
  error: writer('error'),
}
