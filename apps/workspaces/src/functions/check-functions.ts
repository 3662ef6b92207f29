import { checkParameterSchemas, checkSchemaGrowth } from '@platform/automation-checks'
import type { FunctionDefinition } from '@platform/contracts'
import { FunctionFailure } from '@platform/custom-code'
import { type FunctionCalls, failureOfFunction } from '@platform/function-calls'
import { Failure } from '@platform/kernel'
import { formatPath } from '@platform/source-texts'

/** How many functions a workspace may have, and how large. */
export interface FunctionLimits {
  readonly functions: number
  /** Bytes of a function as JSON. */
  readonly bytes: number
}

/** Why code could not be run at all; line and column from 1. */
export interface CodeProblem {
  readonly message: string
  readonly line?: number
  readonly column?: number
}

/** Finds the mistakes of code without running it. */
export type CheckCode = (
  workspaceId: string,
  definition: FunctionDefinition,
) => Promise<readonly CodeProblem[]>

/** Asks whoever runs functions. Rejects with 503 while that can't be done. */
export const codeChecker =
  (calls: Pick<FunctionCalls, 'check'>): CheckCode =>
  async (workspaceId, { language, code, dependencies = [], parameters }) => {
    try {
      const parameterNames = Object.keys(parameters ?? {})
      return await calls.check(workspaceId, { language, code, dependencies, parameterNames })
    } catch (error) {
      throw error instanceof FunctionFailure ? failureOfFunction(error, '') : error
    }
  }

interface Problem extends CodeProblem {
  readonly function: string
  readonly path: string
}

/** Most problems in one response. */
const MAX_PROBLEMS = 50

/** Refuses functions that could not be called. Throws InvalidFunction with every problem, PayloadTooLarge. */
export async function requireCallable(
  definitions: readonly FunctionDefinition[],
  workspaceId: string,
  { checkCode, limits }: { checkCode: CheckCode; limits: FunctionLimits },
): Promise<void> {
  for (const definition of definitions) requireWithinBytes(definition, limits)
  requireDistinct(definitions)
  const problems: Problem[] = []
  for (const definition of definitions) {
    const found = await checkCode(workspaceId, definition)
    const inCode = found.map((problem) => ({ function: definition.name, path: 'code', ...problem }))
    problems.push(...schemaProblems(definition), ...inCode)
    if (problems.length >= MAX_PROBLEMS) break
  }
  if (problems.length > 0) throw invalid(problems.slice(0, MAX_PROBLEMS))
}

/** Refuses more functions than a workspace may have. */
export function requireRoomForFunctions(count: number, { functions }: FunctionLimits): void {
  if (count <= functions) return
  const max = functions.toLocaleString('en')
  throw new Failure(
    'ForbiddenError',
    `A workspace may have ${max} functions, and this would have ${count}: delete some.`,
    { details: { max: functions } },
  )
}

function requireWithinBytes(definition: FunctionDefinition, { bytes: max }: FunctionLimits): void {
  const bytes = Buffer.byteLength(JSON.stringify(definition))
  if (bytes <= max) return
  const [found, allowed] = [bytes, max].map((count) => count.toLocaleString('en'))
  const message =
    `The function "${definition.name}" has ${found} bytes as JSON; ${allowed} are allowed: ` +
    'split it, or use a library.'
  throw new Failure('PayloadTooLarge', message, { details: { function: definition.name, max } })
}

function requireDistinct(definitions: readonly FunctionDefinition[]): void {
  const names = new Set<string>()
  for (const { name } of definitions) {
    if (names.has(name))
      throw invalid([{ function: name, path: 'name', message: 'is declared twice: give each its own name' }])
    names.add(name)
  }
}

const schemaProblems = ({ name, parameters }: FunctionDefinition): Problem[] =>
  [...checkParameterSchemas(parameters, ['parameters']), ...checkSchemaGrowth({ arguments: parameters })].map(
    ({ path, message }) => ({
      function: name,
      // To the check these are the arguments of an automation.
      path: formatPath(path[0] === 'arguments' ? ['parameters', ...path.slice(1)] : path),
      message,
    }),
  )

/** The first problem as a sentence, all of them as details. */
function invalid(problems: readonly Problem[]): Failure {
  const [first] = problems
  const others = problems.length - 1
  const more =
    others === 0 ? '' : ` There ${others === 1 ? 'is 1 more problem' : `are ${others} more problems`}.`
  return new Failure('InvalidFunction', `${first === undefined ? '' : sentenceOf(first)}${more}`, {
    details: problems,
  })
}

function sentenceOf({ function: name, path, line, column, message }: Problem): string {
  const text = message.replace(/\.$/, '')
  if (line === undefined) return `The function "${name}": ${path === 'code' ? '' : `${path} `}${text}.`
  return `The function "${name}", line ${line}, column ${column}: ${text}.`
}
