import type { EventRecord } from '@platform/contracts'
import type { Effects } from '../src/automations/effect-buffer.ts'
import type { RunOutcome } from '../src/automations/engine.ts'
import type { Segment } from '../src/automations/journal-entries.ts'
import { compiled, type TestAutomations, testEngine, testFetches } from './testing.ts'

/** What outlives a process of one run. */
export interface Kept {
  readonly segments: Segment[]
  readonly events: EventRecord[]
}

interface Life {
  readonly kept: Kept
  readonly payload?: Readonly<Record<string, unknown>>
  /** The number of the commit behind which the process dies; 0: it does not. */
  readonly dies?: number
}

/** Does "main" as one process of a durable run; undefined where that has died. */
export async function live(
  automations: TestAutomations,
  { kept, payload = {}, dies = 0 }: Life,
): Promise<RunOutcome | undefined> {
  await using fetches = testFetches()
  const workspace = compiled(automations)
  const automation = await workspace.compile('main')
  if (automation === undefined) throw new Error('There must be an automation "main".')
  const died = Promise.withResolvers<undefined>()
  let commits = 0
  const keep = ({ segment, events }: Effects) => {
    if (segment !== undefined) kept.segments.push(segment)
    kept.events.push(...events)
  }
  const { outcome } = testEngine({ fetches }).start({
    runId: '01900000-0000-7000-8000-000000000000',
    workspace,
    automation,
    payload,
    trigger: { type: 'event', value: 'go' },
    subject: {},
    correlationId: 'correlation',
    depth: 0,
    timeLimitMs: 5000,
    repeatable: true,
    segments: structuredClone(kept.segments),
    commit: async (effects) => {
      commits += 1
      keep(effects)
      if (commits !== dies) return
      died.resolve(undefined)
      await new Promise(() => undefined)
    },
  })
  const ended = await Promise.race([outcome, died.promise])
  if (ended !== undefined) keep(ended.effects)
  return ended
}
