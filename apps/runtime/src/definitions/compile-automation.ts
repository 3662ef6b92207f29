import { AutomationDefinition } from '@platform/contracts'
import { compileTemplate, ExpressionError } from '@platform/expressions'
import type { Call, CompiledAutomation } from '../automations/model.ts'
import { mentionedContexts, mentionsRole } from '../contexts/mentioned-contexts.ts'
import { compileInputs } from './compile-inputs.ts'
import type { StepCompiler } from './compile-steps.ts'

/** Compiles a saved automation. Never throws: what can't be compiled fails when it is run, in its own place. */
export function compileAutomation(slug: string, saved: unknown, steps: StepCompiler): CompiledAutomation {
  const problems: string[] = []
  const definition = readDefinition(slug, saved, problems)
  const text = JSON.stringify(saved) ?? ''
  return {
    slug,
    disabled: definition.disabled === true,
    action: definition.authorizations?.action,
    readsRawBody: text.includes('rawBody'),
    readsRole: mentionsRole(text),
    storedContexts: mentionedContexts(text),
    inputs: compileInputs(definition),
    steps: steps.compile(definition.do ?? [], 'do', (problem) => problems.push(problem)),
    output: compileOutput(definition.output, problems),
    problems,
  }
}

function readDefinition(slug: string, saved: unknown, problems: string[]): AutomationDefinition {
  const result = AutomationDefinition.safeParse({ ...Object(saved), slug })
  if (result.success) return result.data
  const [issue] = result.error.issues
  const problem = `${issue?.path.join('.') ?? 'automation'}: ${issue?.message ?? 'is not valid'}`
  problems.push(problem)
  return { slug, name: slug, do: [{ [problem]: null, invalid: null }] }
}

function compileOutput(output: unknown, problems: string[]): CompiledAutomation['output'] {
  if (output === undefined) return undefined
  try {
    const template = compileTemplate(output)
    return (call: Call) => template.evaluate(call.variables, call.chain.options)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    problems.push(`output: ${error.message}`)
    return () => {
      throw error
    }
  }
}
