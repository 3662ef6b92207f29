import { Break } from '../automations/automation-failure.ts'
import type { Frame } from '../automations/model.ts'

/** The limit of a workspace is asked for this many rounds at a time. */
const TAKE = 500

/** When a repeat ends before its items do. */
export interface Until {
  readonly count: number
  readonly isReached: ((frame: Frame) => boolean) | undefined
}

/** True when no further round is to begin. */
export const isOver = (until: Until, index: number, loop: Frame): boolean =>
  index >= until.count || until.isReached?.(loop) === true

/** True for what ends a repeat and nothing else. */
export const isLoopBreak = (error: unknown): boolean => error instanceof Break && error.scope === 'repeat'

/** Lets others in and holds busy workspaces back; called before each round. */
export function roomForRound(frame: Frame, index: number): Promise<void> | undefined {
  const turn = frame.run.tick()
  if (index % TAKE !== 0 || index === 0) return turn
  const held = frame.run.throttle('repeats', TAKE, frame)
  return held === undefined ? turn : Promise.all([turn, held]).then(() => undefined)
}
