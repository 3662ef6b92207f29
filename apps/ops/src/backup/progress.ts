import type { Progress } from '@platform/backup'
import type { Terminal } from '../terminal.ts'

const EVERY_MS = 2000

/** Tells every two seconds how far it is; on standard error, because the backup itself may go to standard output. */
export function progressOf(terminal: Terminal, doing: string): (progress: Progress) => void {
  let shownAt = performance.now()
  return ({ what, bytes }) => {
    const now = performance.now()
    if (now - shownAt < EVERY_MS) return
    shownAt = now
    terminal.complain(`${doing} ${what}: ${sizeOf(bytes)} so far`)
  }
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** 1,234,567 bytes are 1.2 MB. */
export function sizeOf(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`
}
