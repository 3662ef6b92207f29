import type { CustomCode } from '@platform/custom-code'
import type { Check } from '@platform/readiness'
import type { Part } from '@platform/service'
import type { CallFetches } from './call-fetch.ts'
import { callFunction, checkFunction } from './call-function.ts'

/** Calls and checks of functions. */
export const callsPart = (
  deps: CallFetches & { readonly customCode: CustomCode; readonly maxRequestBytes: number },
): Part => ({
  routes: [callFunction(deps), checkFunction(deps)],
  checks: [runs(deps.customCode)],
  closing: async () => await deps.customCode[Symbol.asyncDispose](),
})

/** The service is ready when a function runs. */
const runs = (customCode: CustomCode): Check => ({
  module: 'functions',
  driver: 'isolated-vm',
  probe: (signal) =>
    customCode.call({
      workspaceId: 'readiness',
      name: 'probe',
      language: 'javascript',
      code: 'return 1',
      dependencies: [],
      parameterNames: [],
      parameters: {},
      timeoutMs: 2000,
      signal,
    }),
})
