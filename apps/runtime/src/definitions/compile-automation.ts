import { AutomationDefinition, type When } from '@platform/contracts'
import { ExpressionError } from '@platform/expressions'
import type { CompiledAutomation } from '../automations/model.ts'
import { Mentions, TextCompiler } from '../instructions/text-compiler.ts'
import { compileInputs } from './compile-inputs.ts'
import type { StepCompiler } from './compile-steps.ts'

/** Compiles a saved automation. Never throws: what can't be compiled fails when it is run, in its own place. */
export function compileAutomation(slug: string, saved: unknown, steps: StepCompiler): CompiledAutomation {
  const problems: string[] = []
  const definition = readDefinition(slug, saved, problems)
  const mentions = new Mentions()
  const texts = new TextCompiler(mentions)
  const run = steps.compile(definition.do ?? [], 'do', texts, (problem) => problems.push(problem))
  const output = compileOutput(definition.output, texts, problems)
  return {
    slug,
    disabled: definition.disabled === true,
    idempotent: isIdempotent(definition.when?.endpoint),
    action: definition.authorizations?.action,
    readsRawBody: mentions.names('rawBody'),
    readsRole: mentions.role,
    storedContexts: mentions.storedContexts,
    inputs: compileInputs(definition),
    steps: run,
    output,
    problems,
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
