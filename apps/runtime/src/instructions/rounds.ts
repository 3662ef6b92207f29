import { Break } from '../automations/automation-failure.ts'
import type { Call } from '../automations/model.ts'

/** The limit of a workspace is asked for this many rounds at a time. */
const TAKE = 500

/** When a repeat ends before its items do. */
export interface Until {
  readonly count: number
  readonly isReached: ((call: Call) => boolean) | undefined
}

/** True when no further round is to begin. */
export const isOver = (until: Until, index: number, loop: Call): boolean =>
  index >= until.count || until.isReached?.(loop) === true

/** True for what ends a repeat and nothing else. */
export const isLoopBreak = (error: unknown): boolean => error instanceof Break && error.scope === 'repeat'

/** Lets others in and holds busy workspaces back; called before each round. */
export function roomForRound(call: Call, index: number): Promise<void> | undefined {
  const turn = call.chain.tick()
  if (index % TAKE !== 0 || index === 0) return turn
  const held = call.chain.throttle('repeats', TAKE, call)
  return held === undefined ? turn : Promise.all([turn, held]).then(() => undefined)
}
