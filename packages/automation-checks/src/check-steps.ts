import { CallArguments, instructionSchemas, isInstructionName, Retry, type Step } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import { type Path, type PlacedStep, type Problem, walkSteps } from '@platform/source-texts'
import { checkBareExpression, checkConditionKey, checkTexts, checkVariableName } from './check-texts.ts'
import { checkWaitFilters } from './check-wait-filters.ts'
import { hintForSteps } from './foreign-words.ts'
import { schemaProblems } from './schema-problems.ts'

/** Every instruction of a list and of the lists in it: one a step, its fields, its expressions. */
export function* checkSteps(steps: unknown, path: Path): Generator<Problem> {
  for (const placed of walkSteps(steps, path)) {
    if (placed.step === undefined) yield unreadable(placed)
    else {
      yield* checkStep(placed.step, placed.argumentsPath)
      yield* checkRetry(placed.step, placed.path)
    }
  }
}

function unreadable({ written, path }: PlacedStep): Problem {
  const keys = Object.keys(written)
  if (keys.length === 0) return { path, message: 'is empty: write an instruction such as set' }
  const [first = '', second = ''] = keys
  const hint = hintForSteps(keys)
  if (hint !== undefined && !isInstructionName(first)) {
    return {
      path,
      message: `holds ${first} and ${second}, which is not an instruction: ${hint}`,
      onKey: true,
    }
  }
  const message =
    `holds ${keys.length} fields (${keys.slice(0, 5).join(', ')}) but a step is one instruction: ` +
    `indent ${second} under ${first} or make it a step of its own`
  return { path, at: [...path, second], message, onKey: true }
}

function* checkStep(step: Step, path: Path): Generator<Problem> {
  const { name, arguments: given } = step
  if (isInstructionName(name)) {
    yield* schemaProblems(instructionSchemas[name], given, path, name)
  } else {
    yield* schemaProblems(CallArguments, given, path, name)
    yield* checkTexts(name, path).map((problem) => ({ ...problem, onKey: true }))
  }
  yield* checkArgumentTexts(name, given, path)
}

/** How often a step is tried is no instruction, so nothing of it can come from a variable. */
const checkRetry = ({ retry }: Step, path: Path): Problem[] =>
  retry === undefined
    ? []
    : [
        ...schemaProblems(Retry, retry, [...path, 'retry'], 'retry'),
        ...checkRetriedFailures(retry, [...path, 'retry']),
      ]

/** An empty list is nothing that is tried again, which nobody means. */
export const checkRetriedFailures = (retry: unknown, path: Path): Problem[] =>
  isRecord(retry) && Array.isArray(retry.on) && retry.on.length === 0
    ? [
        {
          path: [...path, 'on'],
          message: 'is empty: name what is tried again, or leave it out for any failure',
        },
      ]
    : []

/** What the instruction works out itself; steps inside it are checked as steps. */
function checkArgumentTexts(name: string, given: unknown, path: Path): Problem[] {
  if (name === 'comment' || name === 'all' || name === 'try') return []
  if (!isRecord(given)) return checkTexts(given, path)
  if (name === 'conditions') {
    return Object.keys(given).flatMap((key) =>
      key === 'default' ? [] : checkConditionKey(key, [...path, key]),
    )
  }
  if (name === 'repeat') return checkRepeat(given, path)
  if (name === 'wait') return [...checkTexts(given, path), ...checkWaitFilters(given.oneOf, path)]
  const variable = name === 'set' || name === 'delete' ? given.name : undefined
  const texts = checkTexts(given, path)
  if (typeof variable !== 'string' || texts.some((problem) => problem.path.at(-1) === 'name')) return texts
  return [...checkVariableName(variable, [...path, 'name']), ...texts]
}

function checkRepeat(given: Readonly<Record<string, unknown>>, path: Path): Problem[] {
  const { do: _steps, until, ...others } = given
  const problems = checkTexts(others, path)
  return typeof until === 'string'
    ? [...problems, ...checkBareExpression(until, [...path, 'until'])]
    : problems
}
