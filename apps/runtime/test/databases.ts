import { openBroker } from '@platform/broker'
import { type Database, migrate, type Queries, raw } from '@platform/database'
import { createLogger } from '@platform/logging'
import { ensurePartitions } from '@platform/outbox'
import { permissionsMigrations } from '@platform/permissions'
import { type TestDatabase, templateDatabase, testDatabase, testDatabaseUrl } from '@platform/testing'
import { neededPartitions } from '../src/runs/keep-partitions.ts'
import { partitionStore } from '../src/runs/partition-store.ts'
import { runtime } from '../src/service.ts'

/** The least that the runtime reads of other services: accounts of the gateway, views of workspaces over one table. */
const STAND_IN = `
  create schema gateway;
  create table gateway.users (id text primary key, email text unique);
  create schema workspaces;
  create table workspaces.stand_in (
    workspace_id text primary key, workspace_slug text not null, workspace_name text not null,
    config jsonb not null default '{}', revision bigint not null default 1,
    touched_at timestamptz not null default now(), automations json not null, functions json not null default '{}',
    deleted boolean not null default false);
  create view workspaces.live_definitions as
    select workspace_id, workspace_slug, workspace_name, config, revision, touched_at, automations
    from workspaces.stand_in where not deleted;
  create view workspaces.live_automations as
    select workspace_id, one.key as slug, one.value as definition, md5(one.value::text) as checksum,
      nullif(case
        when one.value #>> '{when,endpoint}' = 'true' then one.key
        when json_typeof(one.value #> '{when,endpoint}') = 'object'
          then coalesce(one.value #>> '{when,endpoint,path}', one.key)
        else one.value #>> '{when,endpoint}' end, 'false') as endpoint,
      one.value #> '{when,events}' as events, coalesce(one.value ->> 'disabled' = 'true', false) as disabled,
      one.number as created_at
    from workspaces.stand_in, json_each(automations) with ordinality as one (key, value, number) where not deleted;
  create view workspaces.live_functions as
    select workspace_id, one.key as name, one.value as definition, md5(one.value::text) as checksum
    from workspaces.stand_in, json_each(functions) as one where not deleted;
  create view workspaces.live_priorities as
    select workspace_id, slug as automation_slug, (definition ->> 'priority')::smallint as priority
    from workspaces.live_automations where definition ->> 'priority' is not null;
  create view workspaces.live_schedules as
    select workspace_id, slug as automation_slug, (one.number - 1)::smallint as position,
      coalesce(one.schedule ->> 'cron', one.schedule #>> '{}') as cron,
      coalesce(one.schedule ->> 'timezone', 'UTC') as timezone, coalesce(one.schedule ->> 'missed', 'once') as missed,
      disabled
    from workspaces.live_automations, json_array_elements(coalesce(definition #> '{when,schedules}', '[]'))
      with ordinality as one (schedule, number);
  create table workspaces.recorded_definitions (
    workspace_id text not null, until_revision bigint not null, slug text not null, checksum text, definition json);
  create function workspaces.record() returns trigger language plpgsql as $$
  begin
    insert into workspaces.recorded_definitions
      select new.workspace_id, new.revision, slug, md5(old.automations ->> slug), old.automations -> slug
      from (select json_object_keys(old.automations) union select json_object_keys(new.automations)) all_of_them (slug)
      where (old.automations ->> slug) is distinct from (new.automations ->> slug)
      union all
      select new.workspace_id, new.revision, 'function:' || name, md5(old.functions ->> name), old.functions -> name
      from (select json_object_keys(old.functions) union select json_object_keys(new.functions)) all_of_them (name)
      where (old.functions ->> name) is distinct from (new.functions ->> name);
    return null;
  end
  $$;
  create trigger record after update on workspaces.stand_in for each row execute function workspaces.record()`

/** No test may change how a run has ended. */
const ENDS_STAY = `
  create function runtime.forbid_change() returns trigger language plpgsql as $$
  begin
    raise exception 'The run % has ended as % and can''t become %.', old.id, old.status, new.status;
  end
  $$;
  create trigger ends_stay before update on runtime.runs for each row
    when (old.status in ('succeeded', 'failed', 'cancelled')) execute function runtime.forbid_change()`

export const createStandIn = (database: Queries): Promise<unknown> => database.many(raw(STAND_IN))

/** A fresh database that has the views of the workspaces service, and the schemas of the runtime. */
export async function runtimeDatabaseUrl(): Promise<string> {
  const template = await templateDatabase('runtime-with-definitions', async (database) => {
    await createStandIn(database)
    for (const migrations of runtime.migrations ?? []) await migrate(database, migrations)
    await database.many(raw(ENDS_STAY))
    await makeAllPartitions(database)
  })
  return await testDatabaseUrl(template)
}

/** As the first start of a runtime does: a third of the time of each start. */
async function makeAllPartitions(database: Database): Promise<void> {
  const now = new Date()
  await ensurePartitions(database, now)
  for (const table of ['runs', 'journal'] as const)
    await partitionStore(database, table).create(...neededPartitions(now, table))
}

/** A fresh database with the tables of the runtime and the log of events, for stores tried without a service. */
export async function runsDatabase(): Promise<TestDatabase> {
  const template = await templateDatabase('runtime-log-and-permissions', async (database) => {
    await migrate(database, permissionsMigrations)
    // Makes the log of events, as any service does when it starts.
    const broker = await openBroker('postgres:', { database, log: createLogger({ level: 'silent' }) })
    await broker[Symbol.asyncDispose]()
    await migrate(database, { schema: 'runtime', directory: new URL('../migrations/', import.meta.url) })
    await database.many(raw(ENDS_STAY))
  })
  return await testDatabase(template)
}
