import { setTimeout as pause } from 'node:timers/promises'
import type { EventRecord } from '@platform/contracts'
import type { Options } from '@platform/expressions'
import { derivedUuidv7, Failure, SecretTexts, uuidv7 } from '@platform/kernel'
import type { Contexts } from '../contexts/contexts.ts'
import { RunEnded } from './automation-failure.ts'
import type { EffectBuffer } from './effect-buffer.ts'
import type {
  Call,
  Caller,
  Chain,
  CompiledAutomation,
  CompiledWorkspace,
  QueuedRun,
  ThrottledWork,
  Trigger,
} from './model.ts'
import type { Throttle } from './throttle.ts'
import type { Turn, Turns } from './turns.ts'

export interface ChainParts {
  runId: string
  workspace: CompiledWorkspace
  trigger: Trigger
  caller: Caller
  correlationId: string
  maxDepth: number
  /** How long the run may take. */
  timeLimitMs: number
  /** True when the run may be done again after a crash: its effects then get the ids they had. */
  repeatable: boolean
  contexts: Contexts
  options: Options
  throttle: Throttle
  turns: Turns
  buffer: EffectBuffer
  now: () => Date
  loadContexts: (automation: CompiledAutomation) => Promise<void> | undefined
}

/** The state of one run while it goes on. */
export class RunningChain implements Chain {
  readonly runId: string
  readonly workspace: CompiledWorkspace
  readonly trigger: Trigger
  readonly caller: Caller
  readonly correlationId: string
  readonly maxDepth: number
  readonly contexts: Contexts
  readonly options: Options
  readonly secrets = new SecretTexts()
  readonly #parts: ChainParts
  readonly #endsAt: number
  readonly #counts = new Map<string, number>()
  #ended: Failure | undefined
  #turn: Turn = 0
  #heldBack = 0

  constructor(parts: ChainParts) {
    this.#parts = parts
    this.runId = parts.runId
    this.workspace = parts.workspace
    this.trigger = parts.trigger
    this.caller = parts.caller
    this.correlationId = parts.correlationId
    this.maxDepth = parts.maxDepth
    this.contexts = parts.contexts
    this.options = parts.options
    this.#endsAt = performance.now() + parts.timeLimitMs
  }

  now(): Date {
    return this.#parts.now()
  }

  /** Ends the run at its next step: what it did since its last commit is dropped. */
  end(reason: Failure): void {
    this.#ended ??= reason
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  /** True while the run waits for a limit of its workspace: it takes part in nothing then. */
  get isHeldBack(): boolean {
    return this.#heldBack > 0
  }

  tick(): Promise<void> | undefined {
    const now = performance.now()
    this.#requireTime(now)
    const turn = this.#parts.turns.take(this.#turn, now)
    if (turn === undefined) return this.#letOthersIn()
    this.#turn = turn
    return undefined
  }

  throttle(work: ThrottledWork, amount: number, call: Call): Promise<void> | undefined {
    const waitMs = this.#parts.throttle.take(this.workspace.id, work, amount, performance.now())
    if (waitMs <= 0) return undefined
    // A run whose time is over before its turn comes will not have done the work.
    if (performance.now() + waitMs > this.#endsAt)
      this.#parts.throttle.giveBack(this.workspace.id, work, amount)
    return this.#holdBack(waitMs, call)
  }

  effectId(call: Pick<Call, 'trace'>, path: string): string {
    if (!this.#parts.repeatable) return uuidv7()
    const place = `${call.trace}/${path}`
    return derivedUuidv7(this.runId, this.runId, place, this.countOf(place))
  }

  countOf(place: string): number {
    if (!this.#parts.repeatable) return 0
    const count = (this.#counts.get(place) ?? 0) + 1
    this.#counts.set(place, count)
    return count
  }

  record(event: EventRecord): Promise<void> | undefined {
    return this.#parts.buffer.add(event)
  }

  enqueue(run: QueuedRun): Promise<void> | undefined {
    return this.#parts.buffer.enqueue(run)
  }

  prepareContexts(automation: CompiledAutomation): Promise<void> | undefined {
    return this.#parts.loadContexts(automation)
  }

  #requireTime(now: number): void {
    if (this.#ended !== undefined) throw new RunEnded(this.#ended)
    if (now <= this.#endsAt) return
    const seconds = Math.round(this.#parts.timeLimitMs / 100) / 10
    const message = `The automation took longer than the ${seconds} s it may take: split its work or emit events.`
    throw new RunEnded(new Failure('WorkflowTimeoutError', message))
  }

  async #letOthersIn(): Promise<void> {
    this.#turn = await this.#parts.turns.next()
    this.#requireTime(performance.now())
  }

  async #holdBack(waitMs: number, call: Call): Promise<void> {
    const startedAt = performance.now()
    this.#heldBack += 1
    await pause(Math.min(waitMs, Math.max(0, this.#endsAt - startedAt) + 1))
    this.#heldBack -= 1
    const now = performance.now()
    call.measures.throttledMs += now - startedAt
    this.#requireTime(now)
  }
}
