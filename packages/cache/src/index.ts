export type { Cache, Counted } from './cache.ts'
export { CacheError } from './cache-error.ts'
export { openMemoryCache } from './memory.ts'
export { openCache } from './open.ts'
