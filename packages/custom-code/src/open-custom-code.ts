import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Logger } from '@platform/logging'
import { failureOf } from './call-failures.ts'
import type { CodeProblem, CustomCode, FunctionAnswer, FunctionCall, FunctionCode } from './custom-code.ts'
import type { CustomCodeSettings } from './custom-code-env.ts'
import { customCodeMetrics } from './custom-code-metrics.ts'
import { FunctionFailure } from './function-failure.ts'
import type { WorkerOrder } from './pool/messages.ts'
import { PythonImage } from './pool/python-image.ts'
import { PoolIsFull, WorkerPool } from './pool/worker-pool.ts'
import type { WorkerOutcome, WorkerTask } from './pool/worker-process.ts'

const main = fileURLToPath(new URL('./worker/functions-worker.ts', import.meta.url))
const folder = fileURLToPath(new URL('../libraries/', import.meta.url))

/** What a process has resident before it holds any value, with room for the collector. */
const OWN_MEGABYTES = 200
/** The largest frame of a worker: a fetch with its body. */
const LEAST_FRAME_BYTES = 16_000_000
const CHECK_MS = 10_000

/** Nothing is started before the first call. Throws where a library is allowed that there is not. */
export function openCustomCode({ settings, log }: { settings: CustomCodeSettings; log: Logger }): CustomCode {
  const libraries = allowedLibraries(settings.allowedLibraries)
  const { maxWaiting, idleMs, maxOutputBytes } = settings
  const maxFrameBytes = Math.max(LEAST_FRAME_BYTES, 4 * maxOutputBytes)
  const onEnd = (end: object) => log.warn(end, 'a process of functions has ended, another takes its place')
  const { memoryMegabytes, workers } = settings.javascript
  const residentMegabytes = OWN_MEGABYTES + 2 * memoryMegabytes
  const javascript = new WorkerPool({
    plan: () => ({ main, role: 'javascript', memoryMegabytes, residentMegabytes, maxFrameBytes }),
    workers,
    maxWaiting,
    idleMs,
    isExclusive: false,
    onEnd,
  })
  const image = new PythonImage({ main, log })
  const python = new WorkerPool({
    plan: async () => ({
      main,
      role: 'python',
      memoryMegabytes: settings.python.memoryMegabytes,
      residentMegabytes: settings.python.memoryMegabytes,
      maxFrameBytes,
      image: await image.descriptor(),
    }),
    workers: settings.python.workers,
    maxWaiting,
    idleMs,
    isExclusive: true,
    onEnd,
  })
  const pools = { javascript, typescript: javascript, python }
  const metrics = customCodeMetrics({ javascript, python })
  const needs: Needs = { settings, libraries, pools }
  return {
    libraries,
    call: (call) => called(needs, call, metrics.counted),
    check: (workspaceId, code) => checked(needs, workspaceId, code),
    async [Symbol.asyncDispose]() {
      metrics[Symbol.dispose]()
      javascript.close()
      python.close()
      await image[Symbol.asyncDispose]()
    },
  }
}

interface Needs {
  readonly settings: CustomCodeSettings
  readonly libraries: readonly string[]
  readonly pools: Readonly<Record<FunctionCode['language'], WorkerPool>>
}

const SUFFIX = '.library.js'

/** What stands around functions. */
const OWN = ['node', 'prelude', 'python', 'web']

/** Those that are there and allowed. */
function allowedLibraries(allowed: readonly string[] | undefined): readonly string[] {
  const all = readdirSync(folder)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .filter((name) => !OWN.includes(name))
  const missing = allowed?.filter((name) => !all.includes(name)) ?? []
  if (missing.length > 0)
    throw new Error(
      `NODEJS_PACKAGES_WHITELIST_IMPORT names ${missing.join(', ')}: choose from ${all.join(', ')}.`,
    )
  return allowed ?? all
}

const orderOf = (code: FunctionCode, workspaceId: string, libraries: readonly string[]) => ({
  workspaceId,
  libraries,
  language: code.language,
  code: code.code,
  dependencies: code.dependencies,
  parameterNames: code.parameterNames,
})

async function called(
  needs: Needs,
  call: FunctionCall,
  counted: (outcome: string) => void,
): Promise<FunctionAnswer> {
  const { settings, libraries } = needs
  const { timeoutMs } = settings[call.language === 'python' ? 'python' : 'javascript']
  const order: WorkerOrder = {
    order: 'call',
    maxOutput: settings.maxOutputBytes,
    ...orderOf(call, call.workspaceId, libraries),
  }
  const task: WorkerTask = {
    order,
    body: JSON.stringify(call.parameters),
    timeoutMs: Math.min(timeoutMs, call.timeoutMs),
    cpuMs: settings.cpuMs,
    maxLogBytes: settings.maxLogBytes,
    signal: call.signal,
    fetch: call.fetch,
  }
  try {
    const outcome = await run(needs, call.workspaceId, call, task, `The function "${call.name}"`)
    counted('done')
    return {
      result: JSON.parse(outcome.body.toString()) as unknown,
      logs: outcome.logs,
      durationMs: outcome.durationMs,
    }
  } catch (error) {
    counted(error instanceof FunctionFailure ? error.reason : 'aborted')
    throw error
  }
}

async function checked(needs: Needs, workspaceId: string, code: FunctionCode): Promise<CodeProblem[]> {
  const order: WorkerOrder = { order: 'check', ...orderOf(code, workspaceId, needs.libraries) }
  const task: WorkerTask = {
    order,
    timeoutMs: CHECK_MS,
    cpuMs: CHECK_MS,
    maxLogBytes: 0,
    signal: new AbortController().signal,
  }
  const { body } = await run(needs, workspaceId, code, task, 'The check of the code')
  return JSON.parse(body.toString()) as CodeProblem[]
}

type Done = Extract<WorkerOutcome, { kind: 'done' }>

async function run(
  { pools, settings }: Needs,
  workspaceId: string,
  { language }: FunctionCode,
  task: WorkerTask,
  subject: string,
): Promise<Done> {
  let outcome: WorkerOutcome
  try {
    outcome = await pools[language].run(workspaceId, task)
  } catch (error) {
    if (error instanceof PoolIsFull)
      throw new FunctionFailure('busy', `${subject} was not begun, because too many wait: try again shortly.`)
    if (task.signal.aborted) throw task.signal.reason
    const sentence = `${subject} was not begun, because its process could not start: the log of the service says why.`
    throw new FunctionFailure('killed', sentence)
  }
  if (outcome.kind === 'done') return outcome
  if (outcome.kind === 'ended' && outcome.why === 'aborted') throw task.signal.reason
  throw failureOf(outcome, subject, task, settings)
}
