import sonicBoom, { type SonicBoom } from 'sonic-boom'
import { UNMIXED_BYTES } from './line-shape.ts'

/** Bytes that wait for a reader that has stopped reading; what comes then is lost, and the process lives. */
const WAITING_BYTES = 16_000_000
/** What one write takes at most without being cut in two. */
const BATCH_BYTES = 16_000
const FLUSH_MS = 100
/** How long a process that ends waits for a reader that has stopped reading; what is left then is lost. */
const LAST_WRITE_MS = 2000

interface Output {
  write(lines: string): void
}

/** What is open of standard output: one for all loggers of a process. */
const opened = new Map<boolean, Output>()

/**
 * Standard output for lines. Where other processes write to it too (`isShared`), no write is longer than what the
 * system takes whole. When its reader has gone, a pipe's or a terminal's, the lines are lost and nothing else happens.
 * A process that ends waits for a reader that has only stopped reading, no longer than two seconds.
 */
export function standardOutput(isShared: boolean): Output {
  const output = opened.get(isShared) ?? openStandardOutput(isShared)
  opened.set(isShared, output)
  return output
}

/**
 * Lines leave together, at the latest after 100 ms: a write for each costs more than everything else about it. Where
 * nothing is logged nothing is written; a flush of the library's own goes on for as long as the process lives.
 */
function openStandardOutput(isShared: boolean): Output {
  let triesUntilMs = Number.POSITIVE_INFINITY
  const output = new sonicBoom.SonicBoom({
    fd: 1,
    sync: false,
    maxLength: WAITING_BYTES,
    retryEAGAIN: () => performance.now() < triesUntilMs,
    ...(isShared ? { minLength: UNMIXED_BYTES / 2, maxWrite: UNMIXED_BYTES } : { minLength: BATCH_BYTES }),
  })
  let isReaderGone = false
  // Anything else, as a full disk, may be over for the next lines.
  output.on('error', ({ code }: NodeJS.ErrnoException) => {
    isReaderGone ||= code === 'EPIPE' || code === 'EIO'
  })
  process.once('exit', () => {
    triesUntilMs = performance.now() + LAST_WRITE_MS
    if (!isReaderGone) writeRest(output)
  })
  let isWaiting = false
  const flush = () => {
    isWaiting = false
    output.flush()
  }
  return {
    write(lines) {
      if (isReaderGone) return
      output.write(lines)
      if (isWaiting) return
      isWaiting = true
      setTimeout(flush, FLUSH_MS).unref()
    },
  }
}

/** A reader that has gone is no error of a process that ends: its code is the one it was given. */
function writeRest(output: SonicBoom): void {
  try {
    output.flushSync()
  } catch {}
}
