import { durationMs, FunctionDefinition } from '@platform/contracts'
import type { CompiledFunction } from '../automations/model.ts'
import { compileInputs } from './compile-inputs.ts'

/** A declared function as it is called; undefined for what this version can't read. */
export function compileFunction(saved: unknown): CompiledFunction | undefined {
  const { data } = FunctionDefinition.safeParse(saved)
  if (data === undefined) return undefined
  const { name, language, code, dependencies = [], parameters, validateParameters, timeout } = data
  return {
    name,
    language,
    code,
    dependencies,
    parameterNames: Object.keys(parameters ?? {}),
    timeoutMs: durationMs(timeout),
    inputs: compileInputs({
      slug: name,
      name,
      ...(parameters == null ? {} : { arguments: parameters }),
      ...(validateParameters === undefined ? {} : { validateArguments: validateParameters }),
    }),
  }
}
