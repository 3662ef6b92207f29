export { type LimitSettings, limitSettings, limitVariables } from './limit-variables.ts'
export { type Limits, type RateLimiterOptions, rateLimiter } from './rate-limiter.ts'
export { type SlidingLimits, slidingLimits } from './sliding-limits.ts'
export {
  createThrottle,
  type Rate,
  type Throttle,
  type ThrottleLimits,
  throttled,
  toldLimits,
  unlimited,
  waitOut,
} from './throttle.ts'
