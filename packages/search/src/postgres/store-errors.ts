import { StoreError } from '@platform/kernel'
import { SearchError } from '../search-error.ts'

/** Runs a call of the log; what the database throws becomes a SearchError. */
export async function asSearchErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StoreError) || error instanceof SearchError) throw error
    const { message, unavailable, code } = error
    throw new SearchError(message, { cause: error, unavailable, code })
  }
}
