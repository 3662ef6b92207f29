export type { Cache } from './cache.ts'
export { CacheError } from './cache-error.ts'
export { openCache } from './open.ts'
