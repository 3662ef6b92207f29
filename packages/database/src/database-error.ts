import { StoreError } from '@platform/kernel'

/** What every database driver throws; `code` is the SQLSTATE where there is one. */
export class DatabaseError extends StoreError {
  override readonly name = 'DatabaseError'
}

/** True when a statement failed because a unique value is taken already. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '23505'
