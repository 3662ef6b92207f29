import type { Path } from './problem.ts'
import type { LinePlace } from './unreadable-text.ts'
import { walkSteps } from './walk-steps.ts'

export { formatPath, type Path, type Problem, type ProblemDetail } from './problem.ts'
export { readJsonText, readYamlText, type SourceText } from './source-text.ts'
export { UnreadableText } from './unreadable-text.ts'
export { type PlacedStep, walkSteps } from './walk-steps.ts'

/** Line and column of each instruction, by the name that runs give it: `do[2].repeat.do[0].set`. */
export type InstructionPlaces = Readonly<Record<string, readonly [line: number, column: number]>>

/** What runs name beside their instructions. */
const FIELDS = ['arguments', 'do', 'output']

/** Names repeat the keys around them: so many characters of names at most, those of the first instructions. */
const MAX_CHARACTERS = 500_000

/** Where the instructions of a definition stand in its text. */
export function instructionPlaces(
  definition: Readonly<Record<string, unknown>>,
  placeOf: (path: Path) => LinePlace,
): InstructionPlaces {
  const places: Record<string, readonly [number, number]> = {}
  const note = (name: string, path: Path) => {
    const { line, column } = placeOf(path)
    places[name] = [line, column]
  }
  for (const field of FIELDS) if (Object.hasOwn(definition, field)) note(field, [field])
  let characters = 0
  for (const { path, step, name } of walkSteps(definition.do, ['do'])) {
    characters += name.length
    if (characters > MAX_CHARACTERS) break
    if (step !== undefined) note(name, [...path, step.name])
  }
  return places
}
