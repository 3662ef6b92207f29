import type { CallArguments } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { EventLimits } from '@platform/outbox'
import { callAutomation } from '../automations/call-automation.ts'
import type { Call, CompiledAutomation, Execute } from '../automations/model.ts'
import { MAX_OUTPUT, requireSize } from '../contexts/value-size.ts'
import { type CompilePlace, invalidInstruction, isRecord } from './instruction.ts'

/** Any key that is no instruction calls the automation of that slug with what stands behind it. */
export function compileCall(
  slug: string,
  args: CallArguments,
  place: CompilePlace,
  limits: EventLimits,
): Execute {
  const { output, ...payload } = isRecord(args) ? args : { output: undefined }
  const readSlug = place.texts.reader(slug)
  const readPayload = place.texts.reader(isRecord(args) ? payload : args)
  const write = place.texts.writer(typeof output === 'string' ? output : undefined)
  return async (call) => {
    const automation = await requireAutomation(call, readSlug(call))
    const result = await callFrom(
      call,
      automation,
      argumentsOf(readPayload(call), automation),
      place.path,
      limits,
    )
    write(call, result)
  }
}

/** Calls an automation and waits for its output. */
export const callFrom = (
  call: Call,
  automation: CompiledAutomation,
  payload: Readonly<Record<string, unknown>>,
  path: string,
  limits: EventLimits,
): Promise<unknown> =>
  callAutomation(
    {
      chain: call.chain,
      automation,
      payload,
      depth: call.depth + 1,
      trace: traceOf(call, path),
      trigger: { type: 'automation', value: call.automation.slug, id: call.chain.runId },
    },
    limits,
  )

/** Rounds of a loop call the same place again and again; the count tells them apart. */
const traceOf = (call: Call, path: string): string =>
  `${call.trace}/${path}#${call.chain.countOf(`${call.trace}/${path}`)}`

/** The automation of this workspace behind a slug. Throws ObjectNotFoundError. */
export async function requireAutomation(call: Call, slug: unknown): Promise<CompiledAutomation> {
  if (typeof slug === 'object') throw invalidInstruction('The name of an automation must be a text.')
  const name = String(slug)
  const automation = await call.chain.workspace.find(name)
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
export function argumentsOf(value: unknown, { slug }: CompiledAutomation): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {}
  requireSize(value, MAX_OUTPUT, () => `What the automation "${slug}" is called with`)
  if (isRecord(value)) return value
  throw invalidInstruction('The arguments of a call must be an object.')
}
