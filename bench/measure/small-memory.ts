import { readFileSync } from 'node:fs'

/** What `npm start` starts Node with. */
export const smallMemory = JSON.parse(
  readFileSync(new URL('../../scripts/set-up/small-memory.json', import.meta.url), 'utf8'),
) as Record<string, string>
