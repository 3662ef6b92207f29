import { vi } from 'vitest'

/**
 * How long `vi.waitFor` waits where a test says nothing: its own second is over before a machine that does much else
 * has come to it. What a test promises to be quick it measures.
 */
const PATIENCE_MS = 20_000

const { waitFor } = vi

/** Once a process, however many files it runs. */
if (waitFor.name !== 'waitPatiently')
  vi.waitFor = function waitPatiently(check, options = {}) {
    const given = typeof options === 'number' ? { timeout: options } : options
    return waitFor(check, { timeout: PATIENCE_MS, ...given })
  }
