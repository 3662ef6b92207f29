import type { RunStop } from '@platform/contracts'
import { Failure, type FailureBody, isUuid } from '@platform/kernel'
import type { RunOutcome } from '../automations/engine.ts'
import {
  forkedSegment,
  keptInput,
  ofOthers,
  type Segment,
  type SetBefore,
  sizeOf,
  suspensionIn,
} from '../automations/journal-entries.ts'
import type { RunInput } from '../automations/model.ts'
import type { Definitions } from '../definitions/definitions.ts'
import { copyJournal, type Rehearsal, rehearse } from '../inspection/copy-journal.ts'
import type { PlannedEffect, PlannedEffects } from '../inspection/planned-effects.ts'
import type { ReadOrder, ReadParts, WasRead } from '../inspection/read-run.ts'
import { sourceOf } from '../inspection/run-source.ts'
import type { JournalStore } from './journal-store.ts'
import type { RunEnd } from './run.ts'
import type { DefinitionOfRun, RunChange, RunChangeStore } from './run-change-store.ts'
import { endOf } from './run-end.ts'
import { inputNotKept, type RunPlace, type RunRecord, runNotEnded, runNotFound } from './run-record.ts'
import type { KeptRun, RunRecordStore } from './run-record-store.ts'

interface Deps {
  readonly records: Pick<RunRecordStore, 'find'>
  readonly changes: Pick<RunChangeStore, 'again'>
  readonly journals: Pick<JournalStore, 'list'>
  readonly definitions: Pick<Definitions, 'find' | 'listChanged'>
  readonly reading: ReadParts
}

export interface ForkWish {
  readonly at: number
  readonly sets: readonly SetBefore[]
  readonly definition: DefinitionOfRun
}

export type RunsAgain = ReturnType<typeof runsAgain>

/** Makes runs from runs that have ended. Each answers the new run; undefined where that was made already. */
export const runsAgain = (deps: Deps) => ({
  /** From its beginning. */
  async replay(change: RunChange, id: string, definition: DefinitionOfRun): Promise<RunRecord | undefined> {
    const found = await requireEnded(deps, change)
    const revision = definition === 'original' ? found.revision : null
    if (revision === null) await requireCurrent(deps, change, found)
    return await deps.changes.again(change, { id, way: 'replay', input: found.input, revision })
  },

  /** Behind what was done before the effect of this number: that is not done again. */
  async fork(change: RunChange, id: string, wish: ForkWish): Promise<RunRecord | undefined> {
    const found = await requireEnded(deps, change)
    const original = await requireOrder(deps, change, found, 'original')
    const { copied, was } = await copyJournal(deps.reading, original, wish.at)
    if (copied === undefined) throw tooFar(was.journal.number)
    const order =
      wish.definition === 'original' ? original : await requireOrder(deps, change, found, 'current')
    if (wish.definition === 'current') await requireSame(deps, order, wish.at, copied)
    const segments = [forkedSegment(copied, wish.sets)]
    const { revision } = order.workspace
    return await deps.changes.again(change, { id, way: 'fork', input: found.input, revision, segments })
  },

  /**
   * Behind what was done before it failed, where nothing of its automations was saved since; else from its beginning,
   * with what they are now. Throws while another retry is under way, and with `isFirst` where there was one before.
   */
  async retry(change: RunChange, id: string, { isFirst = false } = {}): Promise<RunRecord | undefined> {
    const found = await requireEnded(deps, change)
    if (found.status !== 'failed') throw notFailed(found)
    const source = await sourceOf(deps, change.workspaceId, found)
    const segment = source && (await segmentBeforeFailure(deps, found, source.order))
    const revision = segment === undefined ? null : found.revision
    if (segment === undefined) await requireCurrent(deps, change, found)
    const segments = segment === undefined ? [] : [segment]
    const retried = { id, way: 'retry' as const, input: found.input, revision, segments, isFirst }
    return await deps.changes.again(change, retried)
  },

  /** Without effects, with what came in then: the new run has ended when it is answered. */
  async recorded(change: RunChange, id: string, definition: DefinitionOfRun): Promise<RunRecord | undefined> {
    const found = await requireEnded(deps, change)
    const order = await requireOrder(deps, change, found, definition)
    const rehearsal = await rehearsalOf(deps, order, definition)
    const { outcome, was } = rehearsal
    const end = outcome === undefined ? stopped(rehearsal) : endOf(outcome, was.run)
    const revision = definition === 'current' ? order.workspace.revision : found.revision
    const segments = lookedAtBy(order, definition)
    return await deps.changes.again(change, {
      id,
      way: 'replay',
      input: found.input,
      revision,
      end,
      segments,
    })
  },

  /** What a replay would do, as far as what came in then says, and where that ends. */
  async plan(place: RunPlace, definition: DefinitionOfRun): Promise<Plan> {
    const found = await requireEnded(deps, place)
    const order = await requireOrder(deps, place, found, definition)
    const { planned, was } = await rehearsalOf(deps, order, definition)
    const effects = was.run.secrets.mask(planned.list) as typeof planned.list
    const stoppedAt = planStop(planned, was.stopped)
    return { effects, ...(stoppedAt === undefined ? {} : { stoppedAt }) }
  },
})

interface Plan {
  readonly effects: PlannedEffect[]
  readonly stoppedAt?: RunStop
}

function planStop({ list, more }: PlannedEffects, stopped: WasRead['stopped']): RunStop | undefined {
  if (more > 0) return { reason: 'steps', number: list.at(-1)?.number ?? 0 }
  if (stopped === undefined) return undefined
  const { reason, number } = stopped
  return { reason: reason === 'time' || reason === 'changed' ? reason : 'notKept', number }
}

/** More characters of what came in are not kept a second time. */
const MAX_COPIED = 10_000_000

/** What a replay without effects is looked at by, which has no journal of its own: that of the run it was made from. */
function lookedAtBy({ segments }: ReadOrder, definition: DefinitionOfRun): Segment[] {
  if (sizeOf(segments) > MAX_COPIED) return []
  const copied = segments.map((one) => ({ ...one, try: 0 }))
  return definition === 'current' ? ofOthers(copied) : copied
}

/** Throws where there is no such run, it has not ended, or its input is not kept. */
async function requireEnded(
  { records, journals }: Deps,
  { workspaceId, runId }: RunPlace,
): Promise<EndedRun> {
  const found = isUuid(runId) ? await records.find(workspaceId, runId) : undefined
  if (found === undefined) throw runNotFound()
  if (found.finishedAt === null) throw runNotEnded(found)
  const kept = found.input === null ? keptInput(await journals.list(runId, found.try)) : undefined
  const input = found.input ?? (kept?.input as RunInput | undefined)
  if (input === undefined) throw inputNotKept()
  return { ...found, input, revision: found.revision ?? kept?.revision ?? null }
}

type EndedRun = KeptRun & { readonly input: RunInput }

/** Throws where the automation of a run could not be run now. */
async function requireCurrent(
  { definitions }: Deps,
  { workspaceId }: RunPlace,
  { automationSlug }: EndedRun,
): Promise<void> {
  const workspace = await definitions.find(workspaceId)
  const automation = await workspace?.find(automationSlug)
  if (automation === undefined) throw automationNotThere(automationSlug)
  if (automation.disabled)
    throw new Failure(
      'RunExpired',
      `The automation "${automationSlug}" of the run is disabled: enable it first.`,
    )
}

const automationNotThere = (slug: string) =>
  new Failure('RunExpired', `The automation "${slug}" of the run is not there any more: save it again first.`)

/** What it takes to read a run. Throws where its automation is not there. */
async function requireOrder(
  deps: Deps,
  { workspaceId }: RunPlace,
  found: EndedRun,
  definition: DefinitionOfRun,
): Promise<ReadOrder> {
  const source = await sourceOf(deps, workspaceId, found)
  const order =
    definition === 'original' ? source?.order : await withCurrent(deps, workspaceId, source?.order)
  if (order === undefined) throw automationNotThere(found.automationSlug)
  return order
}

async function withCurrent(
  { definitions }: Deps,
  workspaceId: string,
  order: ReadOrder | undefined,
): Promise<ReadOrder | undefined> {
  const workspace = await definitions.find(workspaceId)
  const automation = await workspace?.find(order?.automation.slug ?? '')
  if (order === undefined || workspace === undefined || automation === undefined) return undefined
  return { ...order, workspace, automation }
}

const rehearsalOf = ({ reading }: Deps, order: ReadOrder, definition: DefinitionOfRun): Promise<Rehearsal> =>
  rehearse(reading, order, { ignoresPlaces: definition === 'current' })

async function segmentBeforeFailure(
  { reading, definitions }: Deps,
  { error }: EndedRun,
  order: ReadOrder,
): Promise<Segment | undefined> {
  const suspendedAt = suspensionIn(order.segments)
  const until = suspendedAt === undefined ? {} : { until: suspendedAt }
  const { outcome, slugs } = await rehearse(reading, order, until)
  const at = suspendedAt ?? effectsBefore(outcome, error)
  // What has done nothing begins anew.
  if (at === undefined || suspendedAt === 0) return undefined
  const changed = await definitions.listChanged(order.workspace.id, order.workspace.revision)
  if ([...slugs].some((slug) => changed.has(slug))) return undefined
  return (await copyJournal(reading, order, at + 1)).copied
}

/** How many effects the run had begun when it failed; undefined where it fails in another way by now. */
const effectsBefore = (outcome: RunOutcome | undefined, error: EndedRun['error']): number | undefined =>
  outcome?.failed?.failure.name === error?.error ? outcome?.failed?.effects : undefined

/** The automations as they are now must have done the same so far. */
async function requireSame({ reading }: Deps, order: ReadOrder, at: number, copied: Segment): Promise<void> {
  const now = await copyJournal(reading, order, at)
  if (now.copied?.place === copied.place) return
  throw invalidAt(
    `The automations as they are now do something else before effect ${at}: fork from an earlier one, or with ` +
      'definition original.',
  )
}

const tooFar = (last: number) =>
  invalidAt(
    last === 0
      ? 'Nothing is kept of what the run did, or it did nothing: replay it instead.'
      : `What the run did is kept up to effect ${last}: fork from there or before.`,
  )

const invalidAt = (message: string) =>
  new Failure('RequestValidationError', `body.at: ${message}`, { details: [{ path: 'body.at', message }] })

const notFailed = ({ status }: RunRecord) =>
  new Failure(
    'RunEnded',
    `The run has ended as ${status}: only a run that failed is retried. Replay it instead.`,
  )

/** It would go on with what nobody has told it. */
function stopped({ was, planned }: Rehearsal): RunEnd {
  const last = planned.list.at(-1)
  const behind =
    last === undefined ? 'before its first effect' : `behind effect ${last.number} (${last.path})`
  const reasons = {
    changed: 'the automations do something else than they did',
    time: 'reading it took too long',
  }
  const reason = was.stopped?.reason
  const why =
    reason === 'changed' || reason === 'time' ? reasons[reason] : 'nothing that came in later is kept'
  const error: FailureBody = { error: 'RunEnded', message: `The replay was ended ${behind}: ${why}.` }
  return { status: 'cancelled', durationMs: 0, error }
}
