import { afterAll, vi } from 'vitest'
import { dropLeftDatabases } from './postgres-server.ts'
import './to-be-prompt.ts'

// Beside each test file, in its process: run anew for each, also where files share a process and what it has imported.

/**
 * How long `vi.waitFor` waits at least: a test's own second, or five, are over before a machine that does much else has
 * come to it. What a test promises to be quick it measures, with `toBePrompt`.
 */
const PATIENCE_MS = 20_000

const { waitFor } = vi

/** Once a process, however many files it runs. */
if (waitFor.name !== 'waitPatiently')
  vi.waitFor = function waitPatiently(check, options = {}) {
    const { timeout = 0, ...others } = typeof options === 'number' ? { timeout: options } : options
    return waitFor(check, { ...others, timeout: Math.max(timeout, PATIENCE_MS) })
  }

// The hooks of the file itself come later, and are run earlier.
afterAll(dropLeftDatabases, 60_000)
