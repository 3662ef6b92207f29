import { instructionSchemas, isInstructionName } from './vocabulary.ts'

/** One step of an automation: the instruction or the slug it calls, and what stands behind it. */
export interface Step {
  name: string
  /** Unchecked: parse it with `instructionSchemas[name]`, or `CallArguments` for a call. */
  arguments: unknown
  /** True when the fields stood beside the instruction instead of under it. */
  slipped: boolean
  /** What stands beside the instruction as `retry`, unchecked: `Retry` says what it may be. */
  retry?: unknown
}

const RETRY = 'retry'

/**
 * Reads a step: one key is the instruction. An instruction with nothing behind it takes the other keys of the step as
 * its fields (`- set:` with `name:` not indented), as the automations that exist expect. undefined for an empty step
 * and for two instructions. `retry` beside an instruction or a call says how often it is tried.
 */
export function readStep(written: Readonly<Record<string, unknown>>): Step | undefined {
  if (!Object.hasOwn(written, RETRY) || Object.keys(written).length === 1) return readInstruction(written)
  const { [RETRY]: retry, ...others } = written
  const step = readInstruction(others)
  return step === undefined || retry === null || retry === undefined ? step : { ...step, retry }
}

function readInstruction(step: Readonly<Record<string, unknown>>): Step | undefined {
  const [name, ...others] = Object.keys(step)
  if (name === undefined) return undefined
  if (others.length === 0) return { name, arguments: step[name], slipped: false }
  if (step[name] !== null || !isInstructionName(name) || others.some((key) => key in instructionSchemas))
    return undefined
  const { [name]: _, ...fields } = step
  return { name, arguments: fields, slipped: true }
}
