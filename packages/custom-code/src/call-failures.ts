import type { CustomCodeSettings } from './custom-code-env.ts'
import { FunctionFailure, type FunctionFailureReason } from './function-failure.ts'
import type { EndReason, WorkerOutcome, WorkerTask } from './pool/worker-process.ts'

type Failed = Exclude<WorkerOutcome, { kind: 'done' }>

/** What a person is told: the function, what happened, and the remedy. */
export function failureOf(
  outcome: Failed,
  subject: string,
  task: WorkerTask,
  settings: CustomCodeSettings,
): FunctionFailure {
  const { logs, durationMs } = outcome
  if (outcome.kind === 'ended') {
    const [reason, sentence] = endOf(outcome.why, task, settings)
    return new FunctionFailure(reason, `${subject} ${sentence}`, { logs, durationMs })
  }
  const { reason, message, line, column } = outcome
  const place =
    line === undefined ? '' : ` at line ${line}${column === undefined ? '' : `, column ${column}`}`
  const sentences: Record<typeof reason, string> = {
    threw: `threw${place}: ${message}`,
    invalidCode: `can't run${place && `, ${place.trim()}`}: ${message}`,
    dependencyNotAllowed: `can't run${place && `, ${place.trim()}`}: ${message}`,
    outOfMemory: tooMuchMemory(task, settings),
    outputTooLarge:
      `returns more than the ${settings.maxOutputBytes} bytes of FUNCTIONS_MAX_OUTPUT_BYTES: ${message} ` +
      'Return less.',
    invalidOutput: `returns what is no JSON: ${message}`,
  }
  const details = {
    logs,
    durationMs,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  }
  return new FunctionFailure(reason, `${subject} ${sentences[reason]}`, details)
}

function tooMuchMemory({ order }: WorkerTask, { javascript, python }: CustomCodeSettings): string {
  const [megabytes, variable] =
    order.language === 'python'
      ? [python.memoryMegabytes, 'PYTHON_WORKER_MAX_SIZE_MB']
      : [javascript.memoryMegabytes, 'NODE_WORKER_MAX_OLD_GENERATION_SIZE_MB']
  return `needed more than the ${megabytes} MB of ${variable}: make it hold less at once.`
}

function endOf(
  why: EndReason,
  task: WorkerTask,
  settings: CustomCodeSettings,
): [FunctionFailureReason, string] {
  switch (why) {
    case 'late':
      return ['timedOut', `did not end within ${task.timeoutMs} ms: make it do less, or wait for less.`]
    case 'busyLoop':
      return [
        'timedOut',
        `took a processor for more than the ${task.cpuMs} ms of FUNCTIONS_CPU_TIMEOUT: make it do less.`,
      ]
    case 'outOfMemory':
      return ['outOfMemory', tooMuchMemory(task, settings)]
    default:
      return ['killed', 'did not end, because its process was ended from outside: call it again.']
  }
}
