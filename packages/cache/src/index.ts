export { type Cache, CacheError, type Counted } from './cache.ts'
export { openMemoryCache } from './memory.ts'
export { openCache } from './open.ts'
