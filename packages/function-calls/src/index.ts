import type { CustomCode } from '@platform/custom-code'
import type { Logger } from '@platform/logging'
import type { FunctionCalls } from './function-calls.ts'
import type { FunctionCallSettings } from './function-calls-env.ts'
import { remoteCalls } from './remote-calls.ts'

export {
  type CarriedSecrets,
  concealedResponse,
  type FetchRate,
  type FunctionCalls,
  failureOfFunction,
  type KeyedCall,
  textOfBody,
  toldRate,
  wholeResponse,
} from './function-calls.ts'
export {
  type FunctionCallSettings,
  functionCallSettings,
  functionCallVariables,
  requestSize,
} from './function-calls-env.ts'

interface Needs {
  readonly functions: FunctionCallSettings
  readonly internalApiKey: string
  readonly log: Logger
}

/** In the service that FUNCTIONS_URL names, else here; nothing is started before the first call. */
export function openFunctionCalls({ functions: settings, internalApiKey, log }: Needs): FunctionCalls {
  if (settings.url !== undefined) return remoteCalls({ ...settings, url: settings.url, internalApiKey })
  let opening: Promise<CustomCode> | undefined
  const open = () => {
    opening ??= import('@platform/custom-code').then(({ openCustomCode }) =>
      openCustomCode({ settings, log }),
    )
    return opening
  }
  return {
    call: async ({ secrets: _, fetchRate: __, ...call }) => await (await open()).call(call),
    check: async (workspaceId, code) => await (await open()).check(workspaceId, code),
    [Symbol.asyncDispose]: async () => await (await opening)?.[Symbol.asyncDispose](),
  }
}
