import { type Env, readConfig, storeVariables } from '@platform/config'
import { type Migrations, migrate } from '@platform/database'
import type { Logger } from '@platform/logging'
import type { Check } from '@platform/readiness'
import { z } from 'zod'
import { Resources } from './resources.ts'
import { retryUntilAvailable, StartInterrupted } from './retry-until-available.ts'
import type { Service } from './service.ts'

/** What a process is asked to do by its arguments. */
export type Command = 'serve' | 'migrate'

/** `serve` without arguments. Throws for anything that is no command. */
export function commandOf(given: readonly string[]): Command {
  if (given.length === 0) return 'serve'
  if (given.length === 1 && given[0] === 'migrate') return 'migrate'
  throw new Error(
    `The argument "${given.join(' ')}" is not known: "migrate" brings the database up to date and ends, without an ` +
      'argument the platform runs. Everything else is told by variables.',
  )
}

/** All that is read to migrate, beside what every process reads. */
export const migrationEnv = z.object({
  DATABASE_URL: storeVariables.DATABASE_URL,
  DATABASE_PASSWORD: storeVariables.DATABASE_PASSWORD,
})

interface Running {
  config: { NODE_ENV: string }
  log: Logger
  /** Aborted when the process is asked to stop: what has begun is ended, nothing more is begun. */
  stopping: AbortController
}

/**
 * Brings every schema that the services need up to date, and logs what was done. Any number of processes may do that
 * at once, beside services that start. A database that is down is waited for.
 */
export async function runMigrations(services: readonly Service[], env: Env, running: Running): Promise<void> {
  const { config, log, stopping } = running
  const { DATABASE_URL: url } = readConfig(migrationEnv, env)
  await using resources = new Resources(log, { development: config.NODE_ENV === 'test' })
  const whenAvailable = <T>(work: () => Promise<T>) =>
    retryUntilAvailable(work, { log, signal: stopping.signal, notices: resources.notices }).catch(
      unlessInterrupted,
    )
  const database = await whenAvailable(() => resources.database(url))
  for (const migrations of schemasOf(services)) {
    const startedAt = performance.now()
    const { schema, ran, newer } = await whenAvailable(() => migrate(database, migrations))
    const ms = Math.round(performance.now() - startedAt)
    if (newer.length > 0) log.warn({ schema, newer }, NEWER)
    else log.info({ schema, ran, ms }, ran.length > 0 ? 'schema migrated' : 'schema is up to date')
  }
}

const NEWER = 'a newer version has migrated the schema, this one may run beside it'

/**
 * Migrates what one service needs before it is built. Answers a check that warns of each schema that a newer version
 * has migrated; none where there is no such schema.
 */
export async function migrateService(
  { migrations = [] }: Service,
  env: Env,
  resources: Resources,
  log: Logger,
): Promise<Check[]> {
  if (migrations.length === 0) return []
  const database = await resources.database(readConfig(migrationEnv, env).DATABASE_URL)
  const warnings: string[] = []
  for (const one of migrations) {
    const { schema, newer } = await migrate(database, one)
    if (newer.length === 0) continue
    log.warn({ schema, newer }, NEWER)
    warnings.push(
      `A newer version has migrated the schema "${schema}" (${newer.join(', ')}); this one may run beside it.`,
    )
  }
  if (warnings.length === 0) return []
  const { driver } = database
  return [{ module: 'migrations', driver, probe: async () => undefined, warnings: async () => warnings }]
}

const unlessInterrupted = (error: unknown): never => {
  if (!(error instanceof StartInterrupted)) throw error
  throw new Error('Stopped before every schema was up to date: "migrate" goes on there when it is run again.')
}

/** Each schema once, in the order in which services of one process make them. */
const schemasOf = (services: readonly Service[]): Migrations[] => [
  ...new Map(
    services.flatMap(({ migrations = [] }) => migrations).map((one) => [one.schema, one] as const),
  ).values(),
]
