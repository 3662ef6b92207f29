import type { StoredDeadLetter } from '@platform/broker'

/** Asks the broker's own table of dead letters. */
export interface DeadLetters {
  list(page: { group?: string; after?: number; limit: number }): Promise<StoredDeadLetter[]>
  /** Answers how many its group will try again. */
  replay(letters: { group: string; eventIds?: readonly string[] }): Promise<number>
}
