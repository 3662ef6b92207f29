export { type Cache, CacheError, type Counted } from './cache.ts'
export { openMemoryCache } from './memory.ts'
export { openCache } from './open.ts'
export type { WindowState, WindowUse } from './sliding-window.ts'
