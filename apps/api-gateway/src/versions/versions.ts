import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Part } from '@platform/service'
import type { Exchange } from '../exchange.ts'
import type { ApiVersion } from './api-version.ts'
import { chooseVersion } from './choose-version.ts'
import { listVersionCallers } from './list-version-callers.ts'
import { listVersions } from './list-versions.ts'
import { versionCallerStore } from './version-caller-store.ts'
import { purgeVersionCallers, VersionUses } from './version-uses.ts'
import { changeResponse } from './versioned-response.ts'

interface Needs {
  database: Database
  versions: readonly ApiVersion[]
  clock: Clock
  refuse: (exchange: Exchange, error: unknown) => void
}

/** Versions of the API, as the rest of the gateway uses them. */
export interface Versions {
  part: Part
  /** Finds out which version a request is for, and makes it one for v2. */
  choose: (exchange: Exchange) => void
}

/** Which version a request is for, and who still asks for others. */
export function openVersions({ database, versions, clock, refuse }: Needs): Versions {
  const callers = versionCallerStore(database)
  const uses = new VersionUses(callers.add)
  return {
    part: {
      routes: [listVersions({ versions, clock }), listVersionCallers({ versions, callers })],
      jobs: [uses.job(), purgeVersionCallers({ store: callers, clock })],
      closing: () => uses.flush(),
    },
    choose: chooseVersion({
      versions,
      clock,
      changeResponse: changeResponse({
        refuse,
        note: ({ name, used = '' }, { principal, startedAt }) => uses.note(name, used, principal, startedAt),
      }),
    }),
  }
}
