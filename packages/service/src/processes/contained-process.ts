import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, readFileSync } from 'node:fs'
import type { Env } from '@platform/config'
import { openBlackBox, readBeats, readBlackBox } from './black-box.ts'
import {
  CONTAINED_AS,
  CONTAINED_NEWS,
  type Death,
  type FromContained,
  STOP_WORKER,
  type ToContained,
} from './contained.ts'
import { LOOK_MS, SilenceWatch, usageOf } from './silence.ts'

/** How a process is started that may die. */
export interface ProcessOrder {
  /** What it is started as. */
  readonly role: string
  readonly main: string
  readonly env: Env
  readonly news: unknown
  readonly silenceMs: number
  readonly heapMegabytes: number
}

interface Listeners {
  readonly onReady: () => void
  readonly onSuspects: () => void
  readonly onPage: (round: number, page: string) => void
  /** Called once, when it has ended. The death is undefined when it ended as it should. */
  readonly onEnd: (death: Death | undefined) => void
}

type Message = FromContained | { metrics: 'page'; round: number; page: string }

/** How much memory V8 gives a process of several for how much work (docs/adr/0092); what it must not do at all. */
const flagsOf = (heapMegabytes: number): string[] => [
  `--max-old-space-size=${heapMegabytes}`,
  '--max-semi-space-size=16',
  '--heap-growing-percent=100',
  '--disallow-code-generation-from-strings',
]

/** One process, watched from its first sign that it serves until its end. */
export class ContainedProcess {
  readonly order: ProcessOrder
  readonly #child: ChildProcess
  readonly #box = openBlackBox()
  readonly #killsBefore = killsForMemory()
  readonly #listeners: Listeners
  #isStopping = false
  #isSilent = false
  #watching: NodeJS.Timeout | undefined
  isReady = false

  constructor(order: ProcessOrder, listeners: Listeners) {
    this.order = order
    this.#listeners = listeners
    this.#child = fork(order.main, [], {
      env: {
        ...order.env,
        [CONTAINED_AS]: order.role,
        [CONTAINED_NEWS]: JSON.stringify(order.news ?? null),
      },
      execArgv: [
        ...process.execArgv.filter((flag) => !flag.startsWith('--inspect')),
        ...flagsOf(order.heapMegabytes),
      ],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', this.#box],
    })
    this.#child.on('message', (message: Message) => this.#hear(message))
    this.#child.on('error', () => undefined)
    // It has closed everything and says nothing more: its end is not silence.
    this.#child.once('disconnect', () => clearInterval(this.#watching))
    this.#child.once('exit', (code, signal) => this.#end(code, signal))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  send(
    message: ToContained | { metrics: 'collect'; round: number; worker: string } | typeof STOP_WORKER,
  ): void {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  /** Asks it to finish; one that has not by then is ended. */
  stop(graceMs: number): void {
    if (this.#isStopping) return
    this.#isStopping = true
    clearInterval(this.#watching)
    this.send(STOP_WORKER)
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs)
    this.#child.once('exit', () => clearTimeout(timer))
  }

  #hear(message: Message): void {
    if ('metrics' in message) this.#listeners.onPage(message.round, message.page)
    else if (message.contained === 'suspects') this.#listeners.onSuspects()
    else if (!this.isReady) {
      this.isReady = true
      this.#watch()
      this.#listeners.onReady()
    }
  }

  #watch(): void {
    const { pid } = this
    if (pid === undefined || this.#isStopping) return
    const watch = new SilenceWatch(this.order.silenceMs, () => usageOf(pid))
    this.#watching = setInterval(() => {
      if (!watch.look(readBeats(this.#box), performance.now())) return
      clearInterval(this.#watching)
      this.#isSilent = true
      this.#child.kill('SIGKILL')
    }, LOOK_MS)
  }

  #end(code: number | null, signal: string | null): void {
    clearInterval(this.#watching)
    const { name, marker } = readBlackBox(this.#box)
    closeSync(this.#box)
    const isExpected = this.#isStopping || (code === 0 && this.isReady)
    const seen = this.#isSilent
      ? `did not come back within ${this.order.silenceMs} ms`
      : signal === null
        ? `ended with ${code}`
        : `ended by ${signal}`
    const cause = this.#isSilent ? 'silent' : this.#isKilledByOthers(signal) ? 'killed' : 'ended'
    this.#listeners.onEnd(isExpected ? undefined : { cause, seen, name, marker, role: this.order.role })
  }

  /** What takes more memory than there is gets the same signal from the kernel, which counts how often. */
  #isKilledByOthers(signal: string | null): boolean {
    if (signal === 'SIGTERM') return true
    return signal === 'SIGKILL' && this.#killsBefore !== undefined && killsForMemory() === this.#killsBefore
  }
}

/** How many processes of this machine the kernel has killed for memory; undefined where it does not say. */
function killsForMemory(): number | undefined {
  try {
    const [, count] = /^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8')) ?? []
    return count === undefined ? undefined : Number(count)
  } catch {
    return undefined
  }
}
