import { isRecord } from '@platform/kernel'
import type { CallElsewhere, Elsewhere, Frame } from '../automations/model.ts'
import { MAX_OUTPUT, requireSize } from '../contexts/value-size.ts'
import { keptAnswer } from '../modules/kept-answer.ts'
import { invalidInstruction } from './instruction.ts'

/** What a step names of another workspace. */
export interface Wanted {
  readonly workspace: string
  readonly workflow: unknown
  readonly parameters: unknown
}

/** True where a step names a workspace that is not the one of its run. */
export const isElsewhere = ({ run }: Frame, workspace: unknown): workspace is string => {
  if (workspace === undefined || workspace === null || workspace === '') return false
  if (typeof workspace !== 'string')
    throw invalidInstruction('runWorkflow.workspace must be an id or "slug:<slug>".')
  return workspace !== run.workspace.id && workspace !== `slug:${run.workspace.slug}`
}

/** Calls it and answers its output; what it fails with fails the step. */
export async function callElsewhere(frame: Frame, path: string, wanted: Wanted): Promise<unknown> {
  const elsewhere = elsewhereOf(frame)
  const call = callOf(frame, wanted)
  const output = await keptAnswer({ frame, path, stores: undefined }, async (effect) => {
    const called = await elsewhere.find(call)
    return (await elsewhere.call(call, called, effect)) ?? null
  })
  frame.observed?.output(output)
  return output ?? undefined
}

/** Starts a run of it, which this one does not wait for. */
export async function startElsewhere(frame: Frame, path: string, wanted: Wanted): Promise<void> {
  const { run, observed } = frame
  const elsewhere = elsewhereOf(frame)
  const call = callOf(frame, wanted)
  const place = { frame, path, stores: undefined }
  const called = await keptAnswer(place, () => elsewhere.find(call), { onlyReads: true })
  const { run: started, events } = elsewhere.begin(call, called, run.effectId(frame, path))
  for (const event of events) await run.record(event)
  const queuing = run.enqueue(started)
  observed?.started(started)
  await queuing
}

function callOf(
  { run, automation, depth }: Frame,
  { workspace, workflow, parameters }: Wanted,
): CallElsewhere {
  if (typeof workflow !== 'string') throw invalidInstruction('The name of an automation must be a text.')
  const given = parameters ?? {}
  if (!isRecord(given)) throw invalidInstruction('The arguments of a call must be an object.')
  requireSize(given, MAX_OUTPUT, () => `What the automation "${workflow}" is called with`)
  const { runId, correlationId, subject } = run
  const caller = {
    workspaceId: run.workspace.id,
    automationSlug: automation.slug,
    runId,
    correlationId,
    depth,
    subject,
  }
  return { workspace, automationSlug: workflow, payload: given, caller }
}

function elsewhereOf({ run }: Frame): Elsewhere {
  if (run.elsewhere !== undefined) return run.elsewhere
  throw invalidInstruction('Automations of other workspaces can’t be called from here.')
}
