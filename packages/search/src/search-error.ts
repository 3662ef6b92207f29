import { StoreError } from '@platform/kernel'

/** What every search driver throws. */
export class SearchError extends StoreError {
  override readonly name = 'SearchError'
}
