import { hintForStep } from '@platform/automation-checks'
import {
  calledFunction,
  checkModuleCall,
  isInstructionName,
  type Warning as WarningSchema,
} from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import { formatPath, type PlacedStep, walkSteps } from '@platform/source-texts'
import type { z } from 'zod'

/** A place of a definition and what is the matter with it. */
export type Warning = z.infer<typeof WarningSchema>

/** What a workspace has that steps may call, by name. */
interface Callable {
  readonly slugs: ReadonlySet<string>
  readonly functions: ReadonlySet<string>
}

/** What will not go as written in the steps of an automation. */
export function* stepWarnings(steps: unknown, { slugs, functions }: Callable): Generator<Warning> {
  for (const placed of walkSteps(steps, ['do'])) {
    yield* orderWarnings(placed)
    yield* moduleWarnings(placed)
    yield* functionWarnings(placed, functions)
    const message = slipMessage(placed) ?? payloadSlipMessage(placed) ?? unknownCallMessage(placed, slugs)
    if (message !== undefined) yield { path: formatPath(placed.argumentsPath), message }
  }
}

/** What a function of a module would not take; what comes from templates is checked when it is called. */
function* moduleWarnings({ step, argumentsPath }: PlacedStep): Generator<Warning> {
  if (step?.name !== 'run') return
  for (const { path, message, isIgnored } of checkModuleCall(step.arguments)) {
    const end = isIgnored ? ': a run passes over it.' : ': a run that reaches this step fails there.'
    yield {
      path: formatPath([...argumentsPath, ...path]),
      message: message.replace(/\.$/, '') + end,
    }
  }
}

/** True where a step calls a function in code. */
export function callsFunctions(steps: unknown): boolean {
  for (const { step } of walkSteps(steps, [])) if (step !== undefined && calledFunction(step)) return true
  return false
}

/** Names from templates are known only when they run. */
function* functionWarnings(
  { step, argumentsPath }: PlacedStep,
  functions: ReadonlySet<string>,
): Generator<Warning> {
  const called = step && calledFunction(step)
  if (called === undefined || called.name === '') return
  if (functions.has(called.name) || /\{\{|\{%/.test(called.name)) return
  yield {
    path: formatPath([...argumentsPath, ...called.path]),
    message:
      `This workspace declares no function "${called.name}": the step fails until it does ` +
      '(PUT /v2/functions/{workspaceId}/{name}).',
  }
}

/** Objects put keys that are whole numbers before all others, in JSON as in YAML. */
function* orderWarnings({ step, argumentsPath }: PlacedStep): Generator<Warning> {
  if (step?.name !== 'conditions' || !isRecord(step.arguments)) return
  for (const key of Object.keys(step.arguments).filter(isIndex)) {
    yield {
      path: formatPath([...argumentsPath, key]),
      message:
        `The condition "${key}" is tried before those that are no whole numbers, wherever it is written: ` +
        `write it as an expression such as {{value}} == ${key}.`,
    }
  }
}

const MAX_INDEX = 2 ** 32 - 2

const isIndex = (key: string): boolean => /^(0|[1-9]\d{0,9})$/.test(key) && Number(key) <= MAX_INDEX

function slipMessage({ step }: PlacedStep): string | undefined {
  if (step?.slipped !== true) return undefined
  return `The fields of "${step.name}" stand beside it and are read as if they were indented under it.`
}

function payloadSlipMessage({ step }: PlacedStep): string | undefined {
  if (step?.name !== 'emit' || !isRecord(step.arguments) || step.arguments.payload !== null) return undefined
  return 'The payload is empty; fields beside it that emit does not know are read as the payload.'
}

/** Calls of apps (`Instance.slug`) and slugs from templates are known only when they run. */
function unknownCallMessage({ step }: PlacedStep, slugs: ReadonlySet<string>): string | undefined {
  const called = calledSlug(step)
  if (called === undefined || slugs.has(called) || /\.|\{\{|\{%/.test(called)) return undefined
  const hint = hintForStep(called)
  const advice = hint === undefined ? '' : ` If you meant an instruction: ${hint}.`
  return `No automation of this workspace has the slug "${called}": the step fails until there is one.${advice}`
}

function calledSlug(step: PlacedStep['step']): string | undefined {
  if (step === undefined) return undefined
  if (!isInstructionName(step.name)) return step.name
  if (step.name !== 'runWorkflow' || !isRecord(step.arguments)) return undefined
  // Those of another workspace are for that to know.
  if (step.arguments.workspace !== undefined && step.arguments.workspace !== null) return undefined
  const { workflow } = step.arguments
  return typeof workflow === 'string' ? workflow : undefined
}
