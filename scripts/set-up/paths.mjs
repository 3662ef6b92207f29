import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The directory of the clone. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

export const inRoot = (...parts) => join(root, ...parts)
