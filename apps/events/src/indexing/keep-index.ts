import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@platform/database'
import { MINUTE_MS } from '@platform/kernel'
import type { Job } from '@platform/service'
import { type BuildDeps, tendIndex } from './build-index.ts'
import { INDEX_CHANNEL } from './index-store.ts'

const EVERY_MS = 5000
const SHORTEST_PAUSE_MS = 250
/** How often it is also looked whether the streams are there: it takes longer. */
const THOROUGHLY_EVERY_MS = MINUTE_MS

/**
 * One process of the cluster compares the index with what was built, every 5 s and after each request or failure, and
 * builds what is missing. The next leader goes on where a process that was killed has ended.
 */
export const keepIndex = (deps: BuildDeps & { database: Pick<Database, 'whileLeader' | 'listen'> }): Job => ({
  name: 'keep-search-index',
  everyMs: 1000,
  async run(signal) {
    const leading = deps.database.whileLeader('events search index', (lost) =>
      lead(deps, AbortSignal.any([signal, lost])),
    )
    if (!signal.aborted) await once(signal, 'abort')
    await leading[Symbol.asyncDispose]()
  },
})

async function lead(deps: Parameters<typeof keepIndex>[0], signal: AbortSignal): Promise<void> {
  let wake = () => {}
  const listening = await deps.database.listen(INDEX_CHANNEL, () => wake())
  let failures = 0
  let thoroughlyAt = 0
  try {
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const thoroughly = performance.now() >= thoroughlyAt
      failures = (await tended(deps, signal, { failures, thoroughly })) ? 0 : failures + 1
      if (thoroughly && failures === 0) thoroughlyAt = performance.now() + THOROUGHLY_EVERY_MS
      const everyMs =
        failures === 0 ? EVERY_MS : Math.min(EVERY_MS, SHORTEST_PAUSE_MS * 2 ** Math.min(failures, 10))
      await Promise.race([woken, pause(everyMs, undefined, { signal }).catch(() => undefined)])
    }
  } finally {
    await listening[Symbol.asyncDispose]()
  }
}

/** Answers whether it succeeded; the first failure in a row is logged. */
async function tended(
  deps: BuildDeps,
  signal: AbortSignal,
  { failures, thoroughly }: { failures: number; thoroughly: boolean },
): Promise<boolean> {
  try {
    if (failures > 0) await deps.store.noteHealth(false)
    await tendIndex(deps, signal, { thoroughly })
    return true
  } catch (error) {
    if (signal.aborted) return false
    // The next leader must know.
    await deps.store.noteHealth(false).catch(() => undefined)
    if (failures === 0)
      deps.logger.warn({ err: error }, 'the search index can not be looked after just now, it is tried again')
    return false
  }
}
