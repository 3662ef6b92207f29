import { StoreError } from '@platform/kernel'

/** What every search driver throws. */
export class SearchError extends StoreError {
  override readonly name = 'SearchError'
}

/**
 * `code` of an error after which the store as a whole can't be reached; any other may be about the one question that
 * was asked.
 */
export const UNREACHABLE = 'UNREACHABLE'
