import {
  AutomationDefinition,
  CallArguments,
  functionOfKey,
  type InstructionName,
  instructionSchemas,
  Retry,
  readStep,
  type When,
  type Step as WrittenInstruction,
} from '@platform/contracts'
import { ExpressionError } from '@platform/expressions'
import { Failure } from '@platform/kernel'
import type { EventLimits } from '@platform/outbox'
import type { CompiledAutomation, Execute } from '../automations/model.ts'
import { Share, type TimeSlices } from '../automations/time-slices.ts'
import { compileCall } from '../instructions/call.ts'
import { vocabulary } from '../instructions/index.ts'
import {
  type Instruction,
  invalidInstruction,
  type Step,
  type StepContext,
} from '../instructions/instruction.ts'
import { sequence } from '../instructions/sequence.ts'
import { attemptOf, retrying } from '../instructions/step-retry.ts'
import { Mentions, TextCompiler } from '../instructions/text-compiler.ts'
import type { ModuleStores } from '../modules/module.ts'
import { compileConcurrency, compileDebounce } from './compile-held-runs.ts'
import { compileInputs } from './compile-inputs.ts'

/**
 * Compiles a saved automation. Rejects never: what can't be compiled fails when it is run, in its own place. A large
 * automation takes many turns of the event loop.
 */
export type CompileAutomation = (
  workspaceId: string,
  slug: string,
  saved: unknown,
) => Promise<CompiledAutomation>

export function automationCompiler(
  limits: EventLimits,
  slices: TimeSlices,
  stores?: ModuleStores,
): CompileAutomation {
  const instructions = new Map<string, Instruction<never>>(
    vocabulary(limits, stores).map((one) => [one.name, one]),
  )
  return async (workspaceId, slug, saved) => {
    const problems: string[] = []
    const definition = readDefinition(slug, saved, problems)
    const mentions = new Mentions()
    const texts = new TextCompiler(mentions)
    const compilation = new StepCompilation(instructions, limits, texts, problems)
    const steps = sequence(compilation.list(definition.do ?? [], 'do', 0))
    await compilation.finish(slices, new Share(workspaceId, true))
    const output = compileOutput(definition.output, texts, problems)
    return {
      slug,
      disabled: definition.disabled === true,
      idempotent: isIdempotent(definition.when?.endpoint),
      durable: definition.durable === true,
      retry: definition.retry ?? undefined,
      concurrency: compileConcurrency(definition.concurrency, problems),
      debounce: compileDebounce(definition.debounce, problems),
      action: definition.authorizations?.action,
      isPrivate: definition.private === true,
      readsRawBody: mentions.names('rawBody'),
      readsHeaders: mentions.names('headers'),
      shapesAnswer: mentions.names('$http'),
      readsRole: mentions.role,
      readsEmail: mentions.email,
      readsSecrets: mentions.names('secret'),
      storedContexts: mentions.storedContexts,
      stepPaths: compilation.paths,
      waits: compilation.names('wait'),
      inputs: compileInputs(definition),
      steps,
      output,
      problems,
    }
  }
}

const isIdempotent = (endpoint: When['endpoint']): boolean =>
  typeof endpoint === 'object' && endpoint.idempotent === true

function readDefinition(slug: string, saved: unknown, problems: string[]): AutomationDefinition {
  const result = AutomationDefinition.safeParse({ ...Object(saved), slug })
  if (result.success) return result.data
  const [issue] = result.error.issues
  const problem = `${issue?.path.join('.') ?? 'automation'}: ${issue?.message ?? 'is not valid'}`
  problems.push(problem)
  return { slug, name: slug, do: [{ [problem]: null, invalid: null }] }
}

function compileOutput(
  output: unknown,
  texts: TextCompiler,
  problems: string[],
): CompiledAutomation['output'] {
  if (output === undefined) return undefined
  try {
    return texts.reader(output)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    problems.push(`output: ${error.message}`)
    return () => {
      throw error
    }
  }
}

type WrittenStep = Readonly<Record<string, unknown>>

/** A list of steps of which some are compiled; `compiled` is what instructions hold of it. */
interface StepList {
  readonly written: readonly WrittenStep[]
  readonly at: string
  readonly depth: number
  readonly compiled: Step[]
}

/** Steps nested deeper than this are refused: running them must not use up the stack. */
const MAX_DEPTH = 60

/**
 * The steps of one automation being compiled, one by one. A list inside an instruction is only noted at first and
 * filled later, so that between any two steps there is a place to let other work in.
 */
class StepCompilation {
  readonly #instructions: ReadonlyMap<string, Instruction<never>>
  readonly #limits: EventLimits
  readonly #texts: TextCompiler
  readonly #problems: string[]
  readonly #unfinished: StepList[] = []
  readonly #names = new Set<string>()
  /** Where its steps stand. */
  readonly paths: string[] = []

  constructor(
    instructions: ReadonlyMap<string, Instruction<never>>,
    limits: EventLimits,
    texts: TextCompiler,
    problems: string[],
  ) {
    this.#instructions = instructions
    this.#limits = limits
    this.#texts = texts
    this.#problems = problems
  }

  /** True when a step is this instruction. */
  names(instruction: InstructionName): boolean {
    return this.#names.has(instruction)
  }

  /** The steps of a list; they are in it once the compilation has finished. */
  list(written: readonly WrittenStep[], at: string, depth: number): readonly Step[] {
    const compiled: Step[] = []
    if (written.length > 0) this.#unfinished.push({ written, at, depth, compiled })
    return compiled
  }

  async finish(slices: TimeSlices, share: Share): Promise<void> {
    for (let list = this.#unfinished.at(-1); list !== undefined; list = this.#unfinished.at(-1)) {
      const index = list.compiled.length
      if (index === list.written.length - 1) this.#unfinished.pop()
      list.compiled.push(this.#step(list.written[index] ?? {}, `${list.at}[${index}]`, list.depth))
      const turn = share.turnIn(slices, performance.now())
      if (turn !== undefined) await turn
    }
  }

  #step(written: WrittenStep, at: string, depth: number): Step {
    const step = depth > MAX_DEPTH ? undefined : readStep(written)
    const [name] = step === undefined ? Object.keys(written) : [step.name]
    const path = name === undefined ? at : `${at}.${name}`
    this.paths.push(path)
    try {
      if (step === undefined) throw invalidInstruction('A step must be one instruction or one call.')
      return { path, run: this.#instruction(step, this.#contextAt(path, depth)) }
    } catch (error) {
      this.#problems.push(`${path}: ${error instanceof Error ? error.message : 'is not valid'}`)
      return { path, run: failing(error) }
    }
  }

  #contextAt(path: string, depth: number): StepContext {
    return {
      path,
      texts: this.#texts,
      steps: (steps, key) => sequence(this.list(steps, path + key, depth + 1)),
      branches: (steps) => this.list(steps, path, depth + 1),
    }
  }

  #instruction(step: WrittenInstruction, context: StepContext): Execute {
    const { name, arguments: args, retry: wanted } = asInstruction(step)
    const retry = wanted === undefined ? undefined : parseArguments(Retry, 'retry', wanted)
    const instruction = this.#instructions.get(name)
    if (instruction === undefined) {
      const call = compileCall(name, parseArguments(CallArguments, name, args), context, this.#limits)
      return retry === undefined ? call : retrying(attemptOf(call), retry, context.path)
    }
    this.#names.add(name)
    const schema: Parser<unknown> = instructionSchemas[instruction.name]
    const parsed = parseArguments(schema, name, args) as never
    if (retry === undefined) return instruction.compile(parsed, context)
    const attempt =
      instruction.compileAttempt?.(parsed, context) ?? attemptOf(instruction.compile(parsed, context))
    return retrying(attempt, { ...retry, on: retry.on ?? instruction.retriedOn }, context.path)
  }
}

/** `Custom Code.total: { … }` is a shorter way to write a call of the function `total`. */
function asInstruction(step: WrittenInstruction): WrittenInstruction {
  const called = functionOfKey(step.name)
  if (called === undefined) return step
  const { output, ...parameters } = Object(step.arguments ?? {}) as Record<string, unknown>
  const given = typeof step.arguments === 'string' ? step.arguments : parameters
  return { ...step, name: 'Custom Code.run', arguments: { function: called, parameters: given, output } }
}

interface Parser<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } }
}
interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

function parseArguments<T>(schema: Parser<T>, name: string, args: unknown): T {
  const result = schema.safeParse(args)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = [name, ...(issue?.path ?? [])].map(String).join('.')
  throw invalidInstruction(`${field}: ${issue?.message.replace(/\.$/, '') ?? 'is not valid'}.`)
}

/** Expressions that can't be read keep the name of their own failure. */
const failing =
  (error: unknown): Execute =>
  () => {
    if (error instanceof Error) throw error
    throw new Failure('InvalidInstructionError', 'The step could not be read.')
  }
