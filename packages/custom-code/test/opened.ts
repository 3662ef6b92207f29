import { readConfig } from '@platform/config'
import { createLogger } from '@platform/logging'
import { afterAll, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  type CustomCode,
  customCodeSettings,
  customCodeVariables,
  type FunctionAnswer,
  type FunctionCall,
  FunctionFailure,
  openCustomCode,
} from '../src/index.ts'

function open(variables: Record<string, string> = {}): CustomCode {
  const settings = customCodeSettings(readConfig(z.object(customCodeVariables), variables))
  return openCustomCode({ settings, log: createLogger({ level: 'silent' }) })
}

/** One with the presets, for all tests of a file. */
export function shared(): CustomCode {
  const customCode = open()
  afterAll(() => customCode[Symbol.asyncDispose]())
  return customCode
}

/** Closed when the test ends. */
export function opened(variables: Record<string, string>): CustomCode {
  const customCode = open(variables)
  onTestFinished(() => customCode[Symbol.asyncDispose]())
  return customCode
}

/** Calls one function of a workspace, in JavaScript unless stated. */
export function call(
  customCode: CustomCode,
  code: string,
  parameters: Record<string, unknown> = {},
  changes: Partial<FunctionCall> = {},
): Promise<FunctionAnswer> {
  return customCode.call({
    workspaceId: 'w1',
    name: 'hello',
    language: 'javascript',
    code,
    dependencies: [],
    parameterNames: Object.keys(parameters),
    parameters,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...changes,
  })
}

export const resultOf = async (...given: Parameters<typeof call>): Promise<unknown> =>
  (await call(...given)).result

/** The failure of a call that must have one. */
export async function failureOf(...given: Parameters<typeof call>): Promise<FunctionFailure> {
  const failure = await call(...given).then(
    ({ result }) => new Error(`It answered ${JSON.stringify(result)?.slice(0, 200)}.`),
    (error: unknown) => error,
  )
  if (failure instanceof FunctionFailure) return failure
  throw failure
}
