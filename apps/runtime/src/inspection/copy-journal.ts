import type { RunOutcome } from '../automations/engine.ts'
import type { Segment } from '../automations/journal-entries.ts'
import type { CompiledWorkspace } from '../automations/model.ts'
import { PlannedEffects, planSteps } from './planned-effects.ts'
import { type ReadOptions, type ReadOrder, type ReadParts, readRun, type WasRead } from './read-run.ts'

/** Milliseconds of work that reading a run may take which is to be done again. */
const MAX_MS = 5000

/** A run that was executed again without effects. */
export interface Rehearsal {
  readonly was: WasRead
  /** Undefined where it stopped on its way. */
  readonly outcome: RunOutcome | undefined
  readonly planned: PlannedEffects
  /** The automations that it came to. */
  readonly slugs: ReadonlySet<string>
}

/** Executes a run again without effects, to its end where its journal has that. */
export async function rehearse(
  parts: ReadParts,
  order: ReadOrder,
  options: Omit<Partial<ReadOptions>, 'observe'> = {},
): Promise<Rehearsal> {
  const planned = new PlannedEffects()
  const slugs = new Set([order.automation.slug])
  const was = await readRun(
    parts,
    { ...order, workspace: noting(order.workspace, slugs) },
    { maxMs: MAX_MS, ...options, observe: ({ lookUp }) => planSteps(planned, lookUp) },
  )
  return { was, outcome: was.outcome, planned, slugs }
}

/**
 * What had come in before the effect of this number: the beginning of the journal of a run that goes on from there.
 * Undefined where the run, or what is kept of it, does not come that far.
 */
export async function copyJournal(
  parts: ReadParts,
  order: ReadOrder,
  at: number,
): Promise<{ readonly copied: Segment | undefined; readonly was: WasRead }> {
  const { was } = await rehearse(parts, order, { until: at - 1, isCopied: true })
  const { copied } = was.journal
  return { was, copied: copied?.upto === at - 1 ? copied : undefined }
}

const noting = (workspace: CompiledWorkspace, slugs: Set<string>): CompiledWorkspace => ({
  ...workspace,
  find(slug) {
    slugs.add(slug)
    return workspace.find(slug)
  },
})
