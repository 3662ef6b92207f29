import { readStep, type Step } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import type { Path } from './problem.ts'

/** One step of a definition, wherever it is nested. */
export interface PlacedStep {
  path: Path
  /** As runs name the instruction, for example `do[2].conditions["{{a}}"][0].set`. */
  name: string
  /** As written. */
  written: Readonly<Record<string, unknown>>
  /** undefined when it is empty or holds several instructions. */
  step: Step | undefined
  /** Where the fields of the instruction stand. */
  argumentsPath: Path
}

/** Every step that can be read, outer before inner. What is no list or no step is left to the schemas around it. */
export function* walkSteps(steps: unknown, path: Path, at = path.join('.')): Generator<PlacedStep> {
  if (!Array.isArray(steps)) return
  for (const [index, written] of steps.entries()) {
    if (isRecord(written)) yield* walkStep(written, [...path, index], `${at}[${index}]`)
  }
}

function* walkStep(
  written: Readonly<Record<string, unknown>>,
  path: Path,
  at: string,
): Generator<PlacedStep> {
  const step = readStep(written)
  if (step === undefined) return yield { path, name: at, written, step, argumentsPath: path }
  const argumentsPath = step.slipped ? path : [...path, step.name]
  const name = `${at}.${step.name}`
  yield { path, name, written, step, argumentsPath }
  for (const [key, inner] of nestedSteps(step)) {
    if (key === undefined) yield* walkSteps(inner, argumentsPath, name)
    else yield* walkSteps(inner, [...argumentsPath, key], name + keyName(step, key))
  }
}

const keyName = ({ name }: Step, key: string): string =>
  name === 'conditions' && key !== 'default' ? `["${key}"]` : `.${key}`

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
