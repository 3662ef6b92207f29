import { setTimeout as pause } from 'node:timers/promises'
import type { ClusterPlace } from './account.ts'
import { filesOf } from './cluster.ts'
import { endOrphan } from './orphan.ts'
import { type Postmaster, type ServerChoices, startPostmaster, trimLog } from './postmaster.ts'

const TRIM_EVERY_MS = 600_000
const LONGEST_RETRY_MS = 5000

/** A server that is started again, on the same port, when it ends without being asked. */
export interface SupervisedServer {
  pid(): number
  stop(): Promise<void>
}

export function supervise(
  first: Postmaster,
  place: ClusterPlace,
  choices: ServerChoices,
  log: (message: string) => void,
): SupervisedServer {
  const stopping = new AbortController()
  let current = first
  const trimming = setInterval(() => trimLog(place), TRIM_EVERY_MS).unref()

  async function startAgain(): Promise<void> {
    for (let waitMs = 100; !stopping.signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
      try {
        await endOrphan(filesOf(place))
        current = await startPostmaster(place, choices)
        return
      } catch (error) {
        log(error instanceof Error ? error.message : String(error))
      }
      await pause(waitMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await current.ended
      if (stopping.signal.aborted) return
      log('PostgreSQL ended unexpectedly and is started again.')
      await startAgain()
    }
  }

  const watching = watch()
  return {
    pid: () => current.pid,
    async stop() {
      clearInterval(trimming)
      stopping.abort()
      await current.stop()
      await watching
      // A start that was on its way while stopping has a server of its own.
      await current.stop()
    },
  }
}
