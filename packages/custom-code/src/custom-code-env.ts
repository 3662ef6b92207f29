import { count, list, milliseconds, seconds } from '@platform/config'
import type { z } from 'zod'

const atLeast = (least: number) => [(value: number) => value >= least, `must be at least ${least}`] as const

/** What running functions of authors reads. */
export const customCodeVariables = {
  FUNCTIONS_RUN_TIMEOUT: milliseconds(20_000)
    .refine(...atLeast(1))
    .describe('Longest call of a function in JavaScript or TypeScript.'),
  PYTHON_FUNCTIONS_RUN_TIMEOUT: milliseconds(20_000)
    .refine(...atLeast(1))
    .describe('The same in Python.'),
  FUNCTIONS_CPU_TIMEOUT: milliseconds(10_000)
    .refine(...atLeast(1))
    .describe('Milliseconds of a processor that one call may take.'),
  FUNCTIONS_WORKERS: count(8)
    .refine(...atLeast(2))
    .describe(
      'Processes that run functions in JavaScript and TypeScript, each one call at a time; started when needed. One ' +
        'workspace has all but one of them at most.',
    ),
  KERNEL_POOL_SIZE: count(2)
    .refine(...atLeast(1))
    .describe(
      'Processes that run functions in Python, each of one workspace at a time; started when needed.',
    ),
  INACTIVE_NODE_WORKER_DELETION_TIMEOUT: seconds(3600).describe(
    'Seconds after which a process of functions ends that ran none.',
  ),
  NODE_WORKER_MAX_OLD_GENERATION_SIZE_MB: count(100)
    .refine(...atLeast(16))
    .describe('Megabytes of values that one call may hold.'),
  PYTHON_WORKER_MAX_SIZE_MB: count(512)
    .refine(...atLeast(256))
    .describe('Megabytes a process of functions in Python may have, its 180 included.'),
  FUNCTIONS_MAX_WAITING: count(1000).describe(
    'Calls that may wait for a process; a tenth of them of one workspace.',
  ),
  FUNCTIONS_MAX_OUTPUT_BYTES: count(5_000_000).describe('Bytes that a function may return, as JSON.'),
  FUNCTIONS_MAX_LOG_BYTES: count(100_000).describe('Bytes of what one call logs; more is dropped.'),
  NODEJS_PACKAGES_WHITELIST_IMPORT: list('').describe(
    'Libraries that functions may import, of those the platform has; all of them where it is empty.',
  ),
}

/** How functions of authors run. */
export interface CustomCodeSettings {
  readonly javascript: LanguageSettings
  readonly python: LanguageSettings
  /** Milliseconds of a processor. */
  readonly cpuMs: number
  /** After which a process that runs nothing ends. */
  readonly idleMs: number
  /** Calls that may wait for a process, of all workspaces. */
  readonly maxWaiting: number
  readonly maxOutputBytes: number
  readonly maxLogBytes: number
  /** Of the libraries of the platform; undefined means all. */
  readonly allowedLibraries: readonly string[] | undefined
}

interface LanguageSettings {
  readonly timeoutMs: number
  /** Processes at most. */
  readonly workers: number
  readonly memoryMegabytes: number
}

type CustomCodeEnv = z.output<z.ZodObject<typeof customCodeVariables>>

export const customCodeSettings = (env: CustomCodeEnv): CustomCodeSettings => ({
  javascript: {
    timeoutMs: env.FUNCTIONS_RUN_TIMEOUT,
    workers: env.FUNCTIONS_WORKERS,
    memoryMegabytes: env.NODE_WORKER_MAX_OLD_GENERATION_SIZE_MB,
  },
  python: {
    timeoutMs: env.PYTHON_FUNCTIONS_RUN_TIMEOUT,
    workers: env.KERNEL_POOL_SIZE,
    memoryMegabytes: env.PYTHON_WORKER_MAX_SIZE_MB,
  },
  cpuMs: env.FUNCTIONS_CPU_TIMEOUT,
  idleMs: env.INACTIVE_NODE_WORKER_DELETION_TIMEOUT * 1000,
  maxWaiting: env.FUNCTIONS_MAX_WAITING,
  maxOutputBytes: env.FUNCTIONS_MAX_OUTPUT_BYTES,
  maxLogBytes: env.FUNCTIONS_MAX_LOG_BYTES,
  allowedLibraries:
    env.NODEJS_PACKAGES_WHITELIST_IMPORT.length > 0 ? env.NODEJS_PACKAGES_WHITELIST_IMPORT : undefined,
})
