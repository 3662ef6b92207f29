import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Exchange } from '../exchange.ts'
import type { Opened } from '../opened.ts'
import type { ApiVersion } from './api-version.ts'
import { chooseVersion } from './choose-version.ts'
import { listVersionCallers } from './list-version-callers.ts'
import { listVersions } from './list-versions.ts'
import { purgeVersionCallers } from './purge-version-callers.ts'
import { versionCallerStore } from './version-caller-store.ts'
import { VersionUses } from './version-uses.ts'
import { changeAnswer } from './versioned-answer.ts'

interface Needs {
  opened: Opened
  database: Database
  config: { apiVersions: readonly ApiVersion[] }
  clock: Clock
  refuse: (exchange: Exchange, error: unknown) => void
}

/** Which version a request is for and who still asks for others, for the composition root. */
export function wireApiVersions({ opened, database, config, clock, refuse }: Needs) {
  const versions = config.apiVersions
  const callers = versionCallerStore(database)
  const uses = opened.use(new VersionUses(callers.add))
  return {
    choose: chooseVersion({
      versions,
      clock,
      changeAnswer: changeAnswer({
        refuse,
        note: ({ name, used = '' }, { principal, startedAt }) => uses.note(name, used, principal, startedAt),
      }),
    }),
    routes: [listVersions({ versions, clock }), listVersionCallers({ versions, callers })],
    jobs: [uses.job(), purgeVersionCallers({ store: callers, clock })],
  }
}
