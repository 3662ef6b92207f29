import type { Broker } from '@platform/broker'
import { type Database, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import type { Check } from '@platform/readiness'
import { reach } from '@platform/service-client'

/** What the service needs to be ready. */
export const workspacesChecks = (deps: {
  database: Database
  broker: Broker
  gatewayUrl: string
}): Check[] => [
  { module: 'broker', driver: deps.broker.driver, probe: (signal) => deps.broker.ping(signal) },
  {
    module: 'permissions',
    driver: deps.database.driver,
    probe: () => deps.database.many(sql`select from permissions.workspaces, permissions.members limit 0`),
  },
  { module: 'automations', driver: deps.database.driver, probe: () => writeAndDelete(deps.database) },
  // `GET /` of the gateway touches no dependency, so that two services never wait for each other's checks.
  { module: 'gateway', driver: 'http', probe: (signal) => reach(deps.gatewayUrl, signal) },
]

/** Definitions are kept in this schema: a row goes in and out again, and is undone when the check dies between. */
const writeAndDelete = (database: Database) =>
  database.transaction(async (tx) => {
    const id = uuidv7()
    await tx.many(sql`insert into workspaces.probes (id) values (${id})`)
    await tx.many(sql`delete from workspaces.probes where id = ${id}`)
  })
