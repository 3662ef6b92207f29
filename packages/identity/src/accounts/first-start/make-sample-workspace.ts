import { createSampleWorkspace, headers as names } from '@platform/contracts'
import { SECOND_MS } from '@platform/kernel'
import type { Job } from '@platform/service'
import { createClient } from '@platform/service-client'
import type { FirstStartStore } from './first-start-store.ts'

interface Needs {
  firstStart: FirstStartStore
  /** Asks the workspaces service for the sample workspace of this owner; rejects when it can't be made now. */
  requestSample: (ownerId: string) => Promise<void>
}

/** Workspaces may start later than the gateway: only a longer silence is worth a line in the log. */
const QUIET_FAILURES = 15

/**
 * Has the sample workspace of the first administrator made once, however often it must be tried until workspaces
 * answers.
 */
export function makeSampleWorkspace({ firstStart, requestSample }: Needs): Job {
  let done = false
  let failures = 0
  return {
    name: 'make-sample-workspace',
    everyMs: 2 * SECOND_MS,
    async run() {
      if (done) return
      const claim = await firstStart.claimSample()
      done = claim === 'done'
      if (typeof claim === 'string') return
      try {
        await requestSample(claim.ownerId)
      } catch (error) {
        await firstStart.releaseSample()
        failures += 1
        if (failures % QUIET_FAILURES === 0) throw error
        return
      }
      await firstStart.sampleMade()
      done = true
    },
  }
}

/**
 * Asks the workspaces service for the sample workspace of the first administrator. Rejects when it can't be made now.
 */
export const requestSampleWorkspace = (deps: { workspacesUrl: string; internalKey: string }) => {
  const client = createClient(deps.workspacesUrl, { [names.internalKey]: deps.internalKey }, 3000)
  return async (ownerId: string): Promise<void> => {
    await client(createSampleWorkspace, { body: { ownerId } })
  }
}
