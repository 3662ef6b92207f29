import { StoreError } from '@platform/kernel'

/** What every cache driver throws. Always `unavailable`: a caller goes on without the cache. */
export class CacheError extends StoreError {
  override readonly name = 'CacheError'
}
