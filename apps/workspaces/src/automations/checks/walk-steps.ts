import { readStep, type Step } from '@platform/contracts'
import { isRecord, type Path } from './problem.ts'

/** One step of a definition, wherever it is nested. */
export interface PlacedStep {
  path: Path
  /** As written. */
  written: Readonly<Record<string, unknown>>
  /** undefined when it is empty or holds several instructions. */
  step: Step | undefined
  /** Where the fields of the instruction stand. */
  argumentsPath: Path
}

/** Every step that can be read, outer before inner. What is no list or no step is left to the schemas around it. */
export function* walkSteps(steps: unknown, path: Path): Generator<PlacedStep> {
  if (!Array.isArray(steps)) return
  for (const [index, written] of steps.entries()) {
    if (isRecord(written)) yield* walkStep(written, [...path, index])
  }
}

function* walkStep(written: Readonly<Record<string, unknown>>, path: Path): Generator<PlacedStep> {
  const step = readStep(written)
  if (step === undefined) return yield { path, written, step, argumentsPath: path }
  const argumentsPath = step.slipped ? path : [...path, step.name]
  yield { path, written, step, argumentsPath }
  for (const [key, inner] of nestedSteps(step)) {
    yield* walkSteps(inner, key === undefined ? argumentsPath : [...argumentsPath, key])
  }
}

const listsOf: Readonly<Record<string, readonly string[]>> = {
  repeat: ['do'],
  try: ['do', 'catch', 'finally'],
}

/** The lists of steps inside an instruction; the key is missing where the instruction itself is the list. */
function nestedSteps(step: Step): [string | undefined, unknown][] {
  if (step.name === 'all') return [[undefined, step.arguments]]
  if (!isRecord(step.arguments)) return []
  if (step.name === 'conditions') return Object.entries(step.arguments)
  const given = step.arguments
  return (listsOf[step.name] ?? []).map((key) => [key, given[key]])
}
