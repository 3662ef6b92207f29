import { type CustomCodeSettings, customCodeSettings, customCodeVariables } from '@platform/custom-code'
import { z } from 'zod'

const MEGABYTE = 1_000_000
const SIZE = /^(\d{1,9}(?:\.\d{1,3})?) ?(b|kb|mb)?$/i
const unitBytes: Readonly<Record<string, number>> = { b: 1, kb: 1000, mb: MEGABYTE }

/** Bytes, written as a number or with kb or mb. */
export const requestSize = (preset: string) =>
  z
    .string()
    .regex(SIZE, 'must be bytes, or a number with kb or mb such as 20mb')
    .default(preset)
    .transform((text) => {
      const [, number = '', unit = 'b'] = SIZE.exec(text) ?? []
      return Math.floor(Number(number) * (unitBytes[unit.toLowerCase()] ?? 1))
    })

/** What calling functions reads. */
export const functionCallVariables = {
  FUNCTIONS_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Service that runs functions in code; without it they run beside the service that calls them.'),
  ...customCodeVariables,
}

/** Where functions run, and how those that run here do. */
export interface FunctionCallSettings extends CustomCodeSettings {
  readonly url: string | undefined
}

type FunctionCallEnv = z.output<z.ZodObject<typeof functionCallVariables>>

export const functionCallSettings = (env: FunctionCallEnv): FunctionCallSettings => ({
  ...customCodeSettings(env),
  url: env.FUNCTIONS_URL,
})
