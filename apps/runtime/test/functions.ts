import { customCodeSettings, customCodeVariables } from '@platform/custom-code'
import { type FunctionCallSettings, type FunctionCalls, openFunctionCalls } from '@platform/function-calls'
import { createLogger } from '@platform/logging'
import { TEST_INTERNAL_KEY } from '@platform/testing'
import { z } from 'zod'
import type { FunctionPlace } from '../src/automations/model.ts'
import { testFetches } from './testing.ts'

/** Functions in code run in processes of this machine; nothing limits what they fetch. */
export function testFunctions(
  settings: Partial<FunctionCallSettings> = {},
): FunctionPlace & AsyncDisposable & { readonly calls: FunctionCalls } {
  const usual = customCodeSettings(z.object(customCodeVariables).parse({}))
  const calls = openFunctionCalls({
    functions: { ...usual, url: undefined, ...settings },
    internalApiKey: TEST_INTERNAL_KEY,
    log: createLogger({ level: 'silent' }),
  })
  const fetches = testFetches()
  return {
    calls,
    exchange: fetches.exchange,
    mayFetch: async () => undefined,
    fetchRateOf: () => undefined,
    async [Symbol.asyncDispose]() {
      await calls[Symbol.asyncDispose]()
      await fetches[Symbol.asyncDispose]()
    },
  }
}
