import type { HashCost } from '../src/credentials/passwords/password-hash.ts'

/** Tests make and check passwords all the time: theirs need no protection. */
export const CHEAP_HASH: HashCost = { memory: 64, passes: 1, parallelism: 1 }
