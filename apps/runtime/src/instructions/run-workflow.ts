import type { RunWorkflowArguments } from '@platform/contracts'
import type { EventLimits } from '@platform/outbox'
import type { Call, CompiledAutomation } from '../automations/model.ts'
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
    return async (call) => {
      const automation = await requireAutomation(call, readSlug(call))
      const payload = argumentsOf(readPayload(call), automation)
      if (readWait(call) === false) return await startRun(call, automation, payload, place.path)
      write(call, await callFrom(call, automation, payload, place.path, limits))
    }
  },
})

async function startRun(
  call: Call,
  automation: CompiledAutomation,
  payload: Readonly<Record<string, unknown>>,
  path: string,
): Promise<void> {
  const { chain } = call
  await chain.enqueue({
    id: chain.effectId(call, path),
    workspaceId: chain.workspace.id,
    automationSlug: automation.slug,
    trigger: { type: 'automation', value: call.automation.slug, id: chain.runId },
    correlationId: chain.correlationId,
    input: { payload, caller: chain.caller, depth: call.depth },
  })
}
