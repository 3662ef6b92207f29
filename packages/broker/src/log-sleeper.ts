import { setTimeout as pause } from 'node:timers/promises'
import { WakeUp } from '@platform/kernel'

/** How long a reader waits after the last news while something may be held back, which nobody tells about. */
const WAITS_MS = [5, 15, 50, 150, 500] as const
/** A notice that was lost delays an event by so much at most. */
const UNTOLD_MS = 500

/** How one reader of the log waits for news. */
export class LogSleeper {
  readonly #wakeUp = new WakeUp()
  #seen = 0
  #idle = 0
  #newsAt = performance.now()
  /** When it is to look together with others; undefined where it looks because it was woken. */
  #moment: number | undefined

  /** Something was committed. */
  wake(): void {
    this.#newsAt = performance.now()
    this.#wakeUp.wake()
  }

  /**
   * Called before looking: what woke until now is known, or until the moment at which several look, each a little
   * later. Answers since when there may be something new: what was found by a look that began later needs not be looked
   * for again; milliseconds of `performance.now()`.
   */
  awake(): number {
    const moment = this.#moment
    this.#moment = undefined
    if (moment === undefined || this.#newsAt < moment) this.#seen = this.#wakeUp.count
    return moment ?? this.#newsAt
  }

  /** Rests until a moment of `performance.now()` at which others look as well. */
  async restUntil(moment: number, signal: AbortSignal): Promise<void> {
    this.#moment = moment
    await pause(Math.ceil(moment - performance.now()), undefined, { signal }).catch(() => undefined)
  }

  /**
   * Waits to be woken, but not for long. Readers of one process that are not woken look at the same moments, for which
   * one question is enough.
   */
  async sleep(isHeldBack: boolean, signal: AbortSignal): Promise<void> {
    if (this.#wakeUp.count === this.#seen) this.#moment = undefined
    const now = performance.now()
    const waitMs = WAITS_MS[this.#idle]
    const lookAt =
      isHeldBack && waitMs !== undefined ? now + waitMs : (Math.floor(now / UNTOLD_MS) + 1) * UNTOLD_MS
    await this.#wakeUp.waitSince(this.#seen, Math.ceil(lookAt - now), signal)
    const isWoken = this.#wakeUp.count !== this.#seen
    if (!isWoken) this.#newsAt = lookAt
    this.#idle = isHeldBack && !isWoken ? this.#idle + 1 : 0
  }
}
