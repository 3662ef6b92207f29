import { type ChildProcess, spawn } from 'node:child_process'
import { dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import type { FunctionLog, GuardedFetch } from '../custom-code.ts'
import { type Frame, readFrames, sendFrame } from './frames.ts'
import type { FromWorker, WorkerOrder, WorkerReason } from './messages.ts'
import { type ProcessUsage, usageOf } from './process-usage.ts'
import { WorkerFetches } from './worker-fetches.ts'

/** How a worker is started. */
export interface WorkerPlan {
  /** The file it runs. */
  readonly main: string
  readonly role: 'javascript' | 'python' | 'image'
  /** Megabytes of values; what the process itself needs comes on top. */
  readonly memoryMegabytes: number
  /** Megabytes the process may have resident, beyond which it is ended. */
  readonly residentMegabytes: number
  readonly maxFrameBytes: number
  /** A file descriptor the worker reads what it starts from. */
  readonly image?: number | undefined
}

/** One thing for a worker to do. */
export interface WorkerTask {
  readonly order: WorkerOrder
  readonly body?: string
  readonly timeoutMs: number
  readonly cpuMs: number
  readonly maxLogBytes: number
  readonly signal: AbortSignal
  readonly fetch?: GuardedFetch | undefined
}

/** How it went: an answer of the worker, or what ended the process. */
export type WorkerOutcome = { readonly logs: readonly FunctionLog[]; readonly durationMs: number } & (
  | { readonly kind: 'done'; readonly body: Buffer }
  | {
      readonly kind: 'failed'
      readonly reason: WorkerReason
      readonly message: string
      readonly line?: number
      readonly column?: number
    }
  | { readonly kind: 'ended'; readonly why: EndReason }
)

/** `late`, `busyLoop`: took too much time, of the clock or of a processor. `misbehaved`: sent what no worker sends. */
export type EndReason = 'late' | 'busyLoop' | 'outOfMemory' | 'killed' | 'aborted' | 'misbehaved'

/** Between looks at a call that is under way: the first comes after as long. */
const LOOK_MS = 25
/** A worker that does not come to rest after its answer is at something that nobody waits for. */
const REST_MS = 1000
const START_MS = 30_000
/** How V8, the library of C++ and our own worker begin the line in which they say that there is no more. */
const MEMORY = /^(?:out of memory$|FATAL ERROR: |# Fatal |<--- |terminate called .*bad_alloc)/m

interface Active {
  readonly task: WorkerTask
  /** When the process began with it: until it is ready its start has a limit of its own. */
  startedAt: number
  readonly logs: FunctionLog[]
  readonly fetches: WorkerFetches
  readonly resolve: (outcome: WorkerOutcome) => void
  logBytes: number
  before: ProcessUsage | undefined
  timer: NodeJS.Timeout | undefined
}

/**
 * One process that runs functions, one at a time. Everything that it may not do is seen and ended from here: nothing it
 * says is believed beyond what a frame may hold.
 */
export class WorkerProcess {
  readonly plan: WorkerPlan
  readonly #child: ChildProcess
  readonly #pipe: Duplex
  readonly #onRest: (isAlive: boolean) => void
  #active: Active | undefined
  #why: EndReason | undefined
  #errorText = ''
  #restTimer: NodeJS.Timeout | undefined
  #isReady = false
  #isEnded = false
  /** Told what an `image` worker has made when it is ready. */
  onImage: ((image: Buffer) => void) | undefined

  /** `onRest` is called whenever it can take the next task, and last when it has ended. */
  constructor(plan: WorkerPlan, onRest: (isAlive: boolean) => void) {
    this.plan = plan
    this.#onRest = onRest
    const { command, parameters } = commandOf(plan)
    this.#child = spawn(command, parameters, {
      env: {},
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', plan.image ?? 'ignore'],
    })
    this.#pipe = this.#child.stdio[3] as Duplex
    this.#pipe.on('error', () => undefined)
    readFrames<FromWorker>(this.#pipe, plan.maxFrameBytes, {
      onFrame: (frame) => this.#hear(frame),
      onNonsense: () => this.end('misbehaved'),
    })
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#errorText = (this.#errorText + chunk.toString('latin1')).slice(-4096)
    })
    this.#child.once('error', () => this.#ended())
    // Not `exit`: what it wrote last says why.
    this.#child.once('close', () => this.#ended())
    this.#restTimer = setTimeout(() => this.end('late'), START_MS)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Why it was ended, where that was decided here. */
  get why(): EndReason | undefined {
    return this.#why
  }

  /** What it wrote before it ended, for the log of the service. */
  get errorText(): string {
    return this.#errorText
  }

  /** Resolves when the worker has answered or ended; never rejects. It may start before the worker is ready. */
  run(task: WorkerTask): Promise<WorkerOutcome> {
    return new Promise((resolve) => {
      const fetches = new WorkerFetches(task.fetch, (header, body) => this.#send(header, body))
      this.#active = {
        task,
        startedAt: performance.now(),
        logs: [],
        fetches,
        resolve,
        logBytes: 0,
        before: undefined,
        timer: undefined,
      }
      if (this.#isEnded) return this.#settle({ kind: 'ended', why: 'killed' })
      if (task.signal.aborted) return this.#settle({ kind: 'ended', why: 'aborted' }, true)
      task.signal.addEventListener('abort', this.#onAbort, { once: true })
      this.#send(task.order, task.body)
      if (this.#isReady) this.#lookAgain(this.#active)
      return undefined
    })
  }

  readonly #onAbort = (): void => this.end('aborted')

  /** Ends the process at once. */
  end(why: EndReason = 'killed'): void {
    this.#why ??= why
    this.#child.kill('SIGKILL')
  }

  #send(header: object, body?: string | Uint8Array): void {
    if (!this.#pipe.destroyed) sendFrame(this.#pipe, header, body)
  }

  #hear({ header, body }: Frame<FromWorker>): void {
    const active = this.#active
    if (header.said === 'ready') this.#rest(body)
    else if (active === undefined) return
    else if (header.said === 'log') this.#note(active, header.level, body)
    else if (header.said === 'fetch') active.fetches.send(header, body)
    else if (header.said === 'done') this.#settle({ kind: 'done', body }, true)
    else if (header.said === 'failed') this.#settle({ ...failureOf(header), kind: 'failed' }, true)
    else this.end('misbehaved')
  }

  #rest(image: Buffer): void {
    if (this.#active !== undefined && this.#isReady) {
      this.end('misbehaved')
      return
    }
    clearTimeout(this.#restTimer)
    this.#restTimer = undefined
    this.#isReady = true
    this.onImage?.(Buffer.from(image))
    if (this.#active === undefined) this.#onRest(true)
    else {
      this.#active.startedAt = performance.now()
      this.#lookAgain(this.#active)
    }
  }

  #note(active: Active, level: unknown, body: Buffer): void {
    const { logs, task } = active
    if (active.logBytes > task.maxLogBytes) return
    active.logBytes += body.length + 20
    const isFull = active.logBytes > task.maxLogBytes
    const text = isFull
      ? `More than ${task.maxLogBytes} bytes were logged: the rest is left out.`
      : body.toString()
    logs.push({ level: levels.find((known) => known === level) ?? 'info', text, at: Date.now() })
  }

  #lookAgain(active: Active): void {
    const left = active.task.timeoutMs - (performance.now() - active.startedAt)
    active.timer = setTimeout(() => this.#look(active), Math.max(0, Math.min(LOOK_MS, left)))
  }

  #look(active: Active): void {
    const why = this.#excess(active)
    if (why === undefined) this.#lookAgain(active)
    else this.end(why)
  }

  /** What the call has taken too much of. */
  #excess(active: Active): EndReason | undefined {
    const { task, startedAt } = active
    if (performance.now() - startedAt >= task.timeoutMs) return 'late'
    const usage = this.pid === undefined ? undefined : usageOf(this.pid)
    if (usage === undefined) return undefined
    if (usage.residentBytes > this.plan.residentMegabytes * 1_048_576) return 'outOfMemory'
    active.before ??= usage
    return usage.cpuMs - active.before.cpuMs > task.cpuMs ? 'busyLoop' : undefined
  }

  /** The task has its outcome; the worker still has to come to rest. */
  #settle(outcome: OwnOutcome, mustRest = false): void {
    const active = this.#active
    if (active === undefined) return
    this.#active = undefined
    clearTimeout(active.timer)
    active.task.signal.removeEventListener('abort', this.#onAbort)
    active.fetches.stop()
    if (mustRest && this.#isReady && !this.#isEnded)
      this.#restTimer = setTimeout(() => this.end('late'), REST_MS)
    const durationMs = performance.now() - active.startedAt
    active.resolve({ ...outcome, logs: active.logs, durationMs })
  }

  #ended(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearTimeout(this.#restTimer)
    const isMemory = MEMORY.test(this.#errorText)
    this.#settle({ kind: 'ended', why: this.#why ?? (isMemory ? 'outOfMemory' : 'killed') })
    this.#onRest(false)
  }
}

type OwnOutcome =
  | { readonly kind: 'done'; readonly body: Buffer }
  | ({ readonly kind: 'failed' } & ReturnType<typeof failureOf>)
  | { readonly kind: 'ended'; readonly why: EndReason }

const levels = ['debug', 'info', 'warn', 'error'] as const
const reasons = [
  'threw',
  'invalidCode',
  'dependencyNotAllowed',
  'outOfMemory',
  'outputTooLarge',
  'invalidOutput',
] as const

/** What a worker says of a failure, with nothing in it that it should not have. */
function failureOf(header: { reason: unknown; message: unknown; line?: unknown; column?: unknown }) {
  const { line, column } = header
  return {
    reason: reasons.find((known) => known === header.reason) ?? ('threw' as const),
    message: String(header.message).slice(0, 10_000),
    ...(Number.isSafeInteger(line) ? { line: line as number } : {}),
    ...(Number.isSafeInteger(column) ? { column: column as number } : {}),
  }
}

/** Kernel limits come from a shell, which the process then replaces: no dump, no file, no memory beyond all measure. */
function commandOf({ main, role, memoryMegabytes, residentMegabytes }: WorkerPlan) {
  const kilobytes = (residentMegabytes + RESERVED_MEGABYTES[role]) * 1024
  const limits = `ulimit -c 0; ulimit -f 0; ulimit -d ${kilobytes} 2>/dev/null`
  const flags = [
    '--permission',
    '--allow-addons',
    `--allow-fs-read=${readableFolder(main)}`,
    '--disallow-code-generation-from-strings',
    '--disable-warning=SecurityWarning',
    '--disable-warning=ExperimentalWarning',
    '--max-semi-space-size=2',
    '--max-old-space-size=64',
  ]
  const parameters = ['-c', `${limits}; exec "$0" "$@"`, process.execPath, ...flags, main, role]
  return { command: '/bin/sh', parameters: [...parameters, String(memoryMegabytes)] }
}

/**
 * What is reserved and never used, and counts for the kernel all the same: 570 MB for Node, 520 for each isolate, of
 * which a process of JavaScript has up to ten. Beyond that the kernel refuses; what is really used is watched.
 */
const RESERVED_MEGABYTES = { javascript: 600 + 10 * 530, python: 1400, image: 1400 }

/** A bundle is all in its folder; the sources also need their libraries. */
function readableFolder(main: string): string {
  const sources = main.indexOf('/packages/custom-code/src/')
  return sources === -1 ? `${dirname(main)}/` : `${main.slice(0, sources)}/`
}
