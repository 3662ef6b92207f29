import type { CallArguments, RunWorkflowArguments } from '@platform/contracts'
import { Failure, isRecord } from '@platform/kernel'
import type { EventLimits } from '@platform/outbox'
import { callAutomation } from '../automations/call-automation.ts'
import type { CompiledAutomation, Execute, Frame, QueuedRun, StepObserver } from '../automations/model.ts'
import { MAX_OUTPUT, requireSize } from '../contexts/value-size.ts'
import { callElsewhere, isElsewhere, startElsewhere } from './call-elsewhere.ts'
import { type Instruction, invalidInstruction, isFalse, type StepContext } from './instruction.ts'

/** Any key that is no instruction calls the automation of that slug with what stands behind it. */
export function compileCall(
  slug: string,
  args: CallArguments,
  context: StepContext,
  limits: EventLimits,
): Execute {
  const { output, ...payload } = isRecord(args) ? args : { output: undefined }
  const readSlug = context.texts.reader(slug)
  const readPayload = context.texts.reader(isRecord(args) ? payload : args)
  const write = context.texts.writer(typeof output === 'string' ? output : undefined)
  return async (frame) => {
    const automation = await requireAutomation(frame, readSlug(frame))
    const payload = argumentsOf(readPayload(frame), automation)
    write(frame, await callFrom(frame, automation, payload, context.path, limits))
  }
}

/** runWorkflow: calls another automation and waits for its output, or starts a run of its own with `wait: false`. */
export const runWorkflow = (limits: EventLimits): Instruction<RunWorkflowArguments> => ({
  name: 'runWorkflow',
  compile(args, context) {
    const readSlug = context.texts.reader(args.workflow)
    const readWorkspace = context.texts.reader(args.workspace)
    const readPayload = context.texts.reader(args.parameters)
    const readWait = context.texts.reader(args.wait ?? true)
    const write = context.texts.writer(args.output)
    const runElsewhere = async (frame: Frame, workspace: string): Promise<void> => {
      const wanted = { workspace, workflow: readSlug(frame), parameters: readPayload(frame) }
      if (isFalse(readWait(frame))) return await startElsewhere(frame, context.path, wanted)
      write(frame, await callElsewhere(frame, context.path, wanted))
    }
    return async (frame) => {
      const workspace = readWorkspace(frame)
      if (isElsewhere(frame, workspace)) return await runElsewhere(frame, workspace)
      const automation = await requireAutomation(frame, readSlug(frame))
      const payload = argumentsOf(readPayload(frame), automation)
      if (isFalse(readWait(frame))) return await startRun(frame, automation, payload, context.path)
      write(frame, await callFrom(frame, automation, payload, context.path, limits))
    }
  },
})

async function startRun(
  frame: Frame,
  automation: CompiledAutomation,
  payload: Readonly<Record<string, unknown>>,
  path: string,
): Promise<void> {
  const { run, observed } = frame
  observed?.called(automation, payload)
  const started: QueuedRun = {
    id: run.effectId(frame, path),
    workspaceId: run.workspace.id,
    automationSlug: automation.slug,
    trigger: { type: 'automation', value: frame.automation.slug, id: run.runId },
    correlationId: run.correlationId,
    priority: run.workspace.priorityOf(automation.slug),
    input: { payload: withoutAnswer(payload, frame), caller: run.subject, depth: frame.depth },
  }
  const queuing = run.enqueue(started)
  observed?.effect(run.lastNumber)
  observed?.started(started)
  await queuing
}

/** Calls an automation and waits for its output. */
function callFrom(
  frame: Frame,
  automation: CompiledAutomation,
  payload: Readonly<Record<string, unknown>>,
  path: string,
  limits: EventLimits,
): Promise<unknown> {
  const { observed } = frame
  observed?.called(automation, payload)
  const calling = callAutomation(
    {
      run: frame.run,
      automation,
      payload: withoutAnswer(payload, frame),
      http: isGivenAnswer(payload, frame) ? frame.http : undefined,
      depth: frame.depth + 1,
      trace: traceOf(frame, path),
      inFinally: frame.inFinally,
      strand: frame.strand,
      trigger: { type: 'automation', value: frame.automation.slug, id: frame.run.runId },
      observed,
    },
    limits,
  )
  return observed === undefined ? calling : calling.then((output) => told(observed, output))
}

function told(observed: StepObserver, output: unknown): unknown {
  observed.output(output)
  return output
}

/** True where the caller hands over `$http`: the automation that is called may shape the answer as well. */
const isGivenAnswer = (payload: Readonly<Record<string, unknown>>, { http }: Frame): boolean =>
  http !== undefined && payload.$http === http.handle

/** The answer of a request is no argument: neither checks nor events see it. */
function withoutAnswer(
  payload: Readonly<Record<string, unknown>>,
  frame: Frame,
): Readonly<Record<string, unknown>> {
  if (!isGivenAnswer(payload, frame)) return payload
  const { $http: _, ...rest } = payload
  return rest
}

/** Rounds of a loop call the same place again and again; the count tells them apart. */
const traceOf = (frame: Frame, path: string): string =>
  `${frame.trace}/${path}#${frame.run.effectCount(frame, path)}`

/** The automation of this workspace behind a slug. Throws ObjectNotFoundError. */
async function requireAutomation(frame: Frame, slug: unknown): Promise<CompiledAutomation> {
  if (typeof slug === 'object') throw invalidInstruction('The name of an automation must be a text.')
  const name = String(slug)
  const automation = await frame.run.workspace.find(name)
  if (automation !== undefined && !automation.disabled) return automation
  if (automation !== undefined)
    throw new Failure('ObjectNotFoundError', `The automation "${name}" is disabled.`)
  if (name.includes('.')) throw invalidInstruction(`"${name}" calls an app: apps are not available yet.`)
  throw new Failure(
    'ObjectNotFoundError',
    `There is no automation "${name.slice(0, 100)}" in this workspace.`,
  )
}

/** Arguments as a record; nothing is no arguments. Throws PayloadTooLarge. */
function argumentsOf(value: unknown, { slug }: CompiledAutomation): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {}
  requireSize(value, MAX_OUTPUT, () => `What the automation "${slug}" is called with`)
  if (isRecord(value)) return value
  throw invalidInstruction('The arguments of a call must be an object.')
}
