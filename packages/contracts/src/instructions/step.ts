import { instructionSchemas, isInstructionName } from './vocabulary.ts'

/** One step of an automation: the instruction or the slug it calls, and what stands behind it. */
export interface Step {
  name: string
  /** Unchecked: parse it with `instructionSchemas[name]`, or `CallArguments` for a call. */
  arguments: unknown
  /** True when the fields stood beside the instruction instead of under it. */
  slipped: boolean
}

/**
 * Reads a step: one key is the instruction. An instruction with nothing behind it takes the other keys of the step as
 * its fields (`- set:` with `name:` not indented), as the automations that exist expect. undefined for an empty step
 * and for two instructions.
 */
export function readStep(step: Readonly<Record<string, unknown>>): Step | undefined {
  const [name, ...others] = Object.keys(step)
  if (name === undefined) return undefined
  if (others.length === 0) return { name, arguments: step[name], slipped: false }
  if (step[name] !== null || !isInstructionName(name) || others.some((key) => key in instructionSchemas))
    return undefined
  const { [name]: _, ...fields } = step
  return { name, arguments: fields, slipped: true }
}
