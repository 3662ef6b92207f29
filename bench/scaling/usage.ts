import { sql } from '@platform/database'
import { connectionsTo, cpuMeter, pssMegabytes } from '../measure/processes.ts'
import { type Instances, serviceOf } from './under-test.ts'

/** Of all processes of a service, or of PostgreSQL. */
export interface Usage {
  cpuSeconds: number
  /** Of the process that used most; PostgreSQL has one for each connection. */
  busiestSeconds: number
}

export interface DatabaseGrowth {
  /** Of write-ahead log. */
  walBytes: number
  /** Of tables and indexes, by schema. */
  bytes: Record<string, number>
  commits: number
}

export interface Used {
  seconds: number
  services: Map<string, Usage>
  database: DatabaseGrowth
}

export const POSTGRES = 'PostgreSQL'

/** The schemas that grow with what is measured: where an event waits, where it is kept, where runs are. */
const GROWING = ['outbox', 'search', 'runtime'] as const

/** What everything uses from now on, until the function that is answered is called. */
export async function meter(instances: Instances): Promise<() => Promise<Used>> {
  const before = await readDatabase(instances)
  const processes = instances.services.map((one) => ({
    service: serviceOf(one),
    used: cpuMeter(() => [one.pid]),
  }))
  const databaseUsed = cpuMeter(instances.databasePids)
  const backends = instances.databasePids().map((pid) => cpuMeter(() => [pid]))
  const startedAt = performance.now()
  return async () => {
    const seconds = (performance.now() - startedAt) / 1000
    const ofDatabase = databaseUsed()
    const ofBackends = backends.map((used) => used())
    const services = new Map<string, Usage>()
    for (const { service, used } of processes) {
      const own = used()
      const { cpuSeconds, busiestSeconds } = services.get(service) ?? { cpuSeconds: 0, busiestSeconds: 0 }
      services.set(service, {
        cpuSeconds: cpuSeconds + own,
        busiestSeconds: Math.max(busiestSeconds, own),
      })
    }
    services.set(POSTGRES, { cpuSeconds: ofDatabase, busiestSeconds: Math.max(...ofBackends) })
    return { seconds, services, database: grown(before, await readDatabase(instances)) }
  }
}

interface DatabaseReading {
  wal: number
  commits: number
  sizes: Record<string, number>
}

async function readDatabase({ database }: Instances): Promise<DatabaseReading> {
  const [read] = await database.many<DatabaseReading>(sql`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal,
      (select xact_commit::float8 from pg_stat_database where datname = current_database()) as commits,
      (
        select json_object_agg(schema, bytes) from (
          select nspname as schema, sum(pg_total_relation_size(c.oid))::float8 as bytes
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where c.relkind = 'r' and nspname = any(${[...GROWING]}::text[])
          group by nspname
        ) sums
      ) as sizes`)
  if (read === undefined) throw new Error('PostgreSQL did not tell its sizes.')
  return read
}

const grown = (before: DatabaseReading, after: DatabaseReading): DatabaseGrowth => ({
  walBytes: after.wal - before.wal,
  commits: after.commits - before.commits,
  bytes: Object.fromEntries(
    GROWING.map((schema) => [schema, (after.sizes[schema] ?? 0) - (before.sizes[schema] ?? 0)]),
  ),
})

/** By service: MB of one process on average, and its connections to PostgreSQL, those of the one with most. */
export function holding(instances: Instances): Map<string, { megabytes: number; connections: number }> {
  const { services, databasePids, databasePort, count } = instances
  const held = new Map<string, { megabytes: number; connections: number }>()
  for (const one of services) {
    const { megabytes = 0, connections = 0 } = held.get(serviceOf(one)) ?? {}
    held.set(serviceOf(one), {
      megabytes: megabytes + pssMegabytes([one.pid]) / count,
      connections: Math.max(connections, connectionsTo(databasePort, one.pid)),
    })
  }
  const connections = services.reduce((sum, { pid }) => sum + connectionsTo(databasePort, pid), 0)
  return held.set(POSTGRES, { megabytes: pssMegabytes(databasePids()), connections })
}
