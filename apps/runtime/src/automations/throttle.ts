import type * as limits from '@platform/rate-limits'
import type { ThrottledWork } from './model.ts'

/*
 * What busy workspaces wait for on this instance, by the kinds of work that runs do.
 */

export { createThrottle, unlimited } from '@platform/rate-limits'

/** How much of each kind of work a workspace may do each second on this instance, and how much at once. */
export type ThrottleLimits = limits.ThrottleLimits<ThrottledWork>

/** Makes busy workspaces wait, each for itself, so that the others don't wait for them. */
export type Throttle = limits.Throttle<ThrottledWork>
