import { createHash } from 'node:crypto'
import { SECOND_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Job } from '@platform/service'
import pLimit from 'p-limit'
import type { CompiledAutomation, KeyOf } from '../automations/model.ts'
import type { ClaimedRun } from './run.ts'
import type { Debounced, SlotStore, TakenSlot } from './slot-store.ts'

/*
 * The place of a run is its row: whichever process dies, the run keeps it until another has ended it. A run that ends
 * lets the next one in after its end was written; where its process dies in between, or one of the version before
 * ended it, a look at all that is waited for does, within a second.
 */
export interface RunSlots {
  /** A place for a claimed run, if its automation limits them. Throws where its key can't be computed. */
  take(run: ClaimedRun, automation: CompiledAutomation): Promise<TakenSlot>
  /** Holds a run of an event for later ones, if its automation says so and it was not held yet. Throws as `take`. */
  debounce(run: ClaimedRun, automation: CompiledAutomation): Promise<Debounced | 'passed'>
  /** Lets the next run in when this one has ended, or waits for its next try. */
  leave(run: ClaimedRun, automation: CompiledAutomation): Promise<void>
  readonly job: Job
}

const LOOK_MS = SECOND_MS
/** Runs that look for their place at once: the others of a slot would wait in a connection each. */
const AT_ONCE = 4
/** Slots that one look goes through; the next one goes on after them. */
const BATCH = 200

export function runSlots({
  slots,
  wakeWorkers,
  log,
}: {
  slots: SlotStore
  wakeWorkers: () => void
  log: Pick<Logger, 'warn'>
}): RunSlots {
  const admit = async (some: readonly string[]) => {
    if ((await slots.admit(some)) > 0) wakeWorkers()
  }
  const turns = pLimit(AT_ONCE)
  let place = ''
  return {
    async take(run, automation) {
      const { concurrency } = automation
      if (concurrency === undefined || run.slot !== null) return 'taken'
      const slot = slotOf(run, automation)
      const { limit, strategy } = concurrency
      return await turns(() =>
        strategy === 'cancel-oldest'
          ? slots.takeFromOldest(slot, limit, run)
          : slots.take(slot, limit, run, strategy === 'queue'),
      )
    },

    async debounce(run, automation) {
      const { debounce } = automation
      if (debounce === undefined || run.debounce !== null || run.triggerType !== 'event') return 'passed'
      const name = nameOf('debounce', run, automation, debounce.keyOf)
      return await turns(() => slots.debounce(name, debounce, run))
    },

    async leave(run, automation) {
      if (automation.concurrency === undefined && run.slot === null) return
      await admit([run.slot ?? slotOf(run, automation)]).catch((err: unknown) =>
        log.warn({ err, runId: run.id }, 'the run behind one that has ended is let in a second later'),
      )
    },

    job: {
      name: 'let-held-runs-in',
      everyMs: LOOK_MS,
      async run() {
        const waited = await slots.listWaitedFor(place, BATCH)
        place = waited.length === BATCH ? (waited.at(-1) ?? '') : ''
        await admit(waited)
      },
    },
  }
}

const slotOf = (run: ClaimedRun, automation: CompiledAutomation): string =>
  nameOf('concurrency', run, automation, automation.concurrency?.keyOf)

/** One for each key of an automation; a key may be long, and may be somebody's address. */
function nameOf(
  use: 'concurrency' | 'debounce',
  { workspaceId, input }: ClaimedRun,
  { slug }: CompiledAutomation,
  keyOf: KeyOf | undefined,
): string {
  const parts = [workspaceId, slug, keyOf?.(input.payload)]
  return createHash('sha256')
    .update(JSON.stringify(use === 'concurrency' ? parts : [use, ...parts]))
    .digest('base64url')
}
