import { randomBytes } from 'node:crypto'
import type { DatabaseError } from '../src/database-error.ts'

/** A name that no other test uses. */
export const unique = (prefix: string) => `${prefix}_${randomBytes(6).toString('hex')}`

/** The error of work that must fail. */
export const failureOf = (work: Promise<unknown>): Promise<DatabaseError> =>
  work.then(
    () => Promise.reject(new Error('It should have failed.')),
    (error: DatabaseError) => error,
  )
