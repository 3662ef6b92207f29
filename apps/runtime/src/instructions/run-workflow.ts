import type { RunWorkflowArguments } from '@platform/contracts'
import type { EventLimits } from '@platform/outbox'
import type { CompiledAutomation, Frame } from '../automations/model.ts'
import { argumentsOf, callFrom, requireAutomation } from './call.ts'
import type { Instruction } from './instruction.ts'

/** runWorkflow: calls another automation and waits for its output, or starts a run of its own with `wait: false`. */
export const runWorkflow = (limits: EventLimits): Instruction<RunWorkflowArguments> => ({
  name: 'runWorkflow',
  compile(args, place) {
    const readSlug = place.texts.reader(args.workflow)
    const readPayload = place.texts.reader(args.parameters)
    const readWait = place.texts.reader(args.wait ?? true)
    const write = place.texts.writer(args.output)
    return async (frame) => {
      const automation = await requireAutomation(frame, readSlug(frame))
      const payload = argumentsOf(readPayload(frame), automation)
      if (readWait(frame) === false) return await startRun(frame, automation, payload, place.path)
      write(frame, await callFrom(frame, automation, payload, place.path, limits))
    }
  },
})

async function startRun(
  frame: Frame,
  automation: CompiledAutomation,
  payload: Readonly<Record<string, unknown>>,
  path: string,
): Promise<void> {
  const { run } = frame
  await run.enqueue({
    id: run.effectId(frame, path),
    workspaceId: run.workspace.id,
    automationSlug: automation.slug,
    trigger: { type: 'automation', value: frame.automation.slug, id: run.runId },
    correlationId: run.correlationId,
    input: { payload, caller: run.subject, depth: frame.depth },
  })
}
