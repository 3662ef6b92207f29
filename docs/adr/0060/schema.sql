-- Tables of the durable engine. PostgreSQL 15 and newer. Everything only adds (ADR 0056).
-- Migrations: apps/runtime/migrations/0004_journal_runs.sql, 0005_wait_for_events.sql, 0006_create_schedules.sql,
--             apps/workspaces/migrations/0004_record_definitions.sql.

------------------------------------------------------------------------------------------------------------------------
-- 1. Runs (0004). runtime.runs stays: partitioned by id (weeks), unique by its primary key, one row a run.
------------------------------------------------------------------------------------------------------------------------

-- `phase` is where an unfinished run of this engine stands:
--   ready    may be claimed                        API: queued
--   held     waits for its time or its slot        API: queued
--   working  a process has claimed it              API: running
--   parked   waits, without any memory             API: waiting
-- null: the run has ended (status says how), or a process of the version before made it.
-- While phase is set, status is 'waiting': the only value the version before neither claims nor drops. The release after may
-- let status say it all again.
alter table runtime.runs
  add column phase text check (phase in ('ready', 'held', 'working', 'parked')),
  -- Smaller goes first within a workspace: 0 minus the priority of the automation, less 1,000 once it has begun: what waits for its
  -- continuation stands before what has not begun.
  add column rank smallint not null default 0,
  -- clock_timestamp() of when it became ready: the order within a rank. It grows, so that a claimer may remember how far it has come
  -- and need not pass what it claimed before, which an open snapshot (a backup) keeps in the index: 0.6 µs an entry.
  add column ready_at timestamptz,
  -- Of held and parked runs: when they become ready by time (backoff, debounce, timeout of a wait, a sleep).
  add column due_at timestamptz,
  -- Something came for the run since it was claimed (event, cancellation): it must not be parked.
  add column woken boolean not null default false,
  add column cancel_reason text,
  -- The revision of the workspace it runs with; null until its first claim.
  add column revision bigint,
  -- All its random numbers and ids come from here.
  add column seed uuid,
  -- How often the automation was begun anew for it (`retry`); effects and journal are those of one try.
  add column try smallint not null default 0,
  add column durable boolean not null default false,
  -- `concurrency`: runs with one key count against one limit.
  add column slot text,
  -- The run it was made from, and how: replay, fork, retry. The run that waits for it.
  add column origin_id uuid,
  add column origin_kind text,
  add column parent_id uuid,
  -- Milliseconds of work, without waiting; the limit of 24 h counts these.
  add column worked_ms bigint not null default 0,
  -- How its journal and the language are read: a change of what an instruction computes is a new number.
  add column format smallint not null default 1,
  -- What a durable URL run answered, up to 10,000 characters.
  add column output json;

-- The queue. Its first column makes fairness a walk from workspace to workspace, see runtime.claim.
create index runs_ready on runtime.runs (workspace_id, rank, ready_at) where phase = 'ready' and deaths = 0;
-- Runs whose process died while they were at work; only the quarantine claims them.
create index runs_suspect on runtime.runs (id) where phase = 'ready' and deaths > 0;
create index runs_due on runtime.runs (due_at) where due_at is not null;
create index runs_working on runtime.runs (worker) where phase = 'working';
create index runs_slots on runtime.runs (slot, id) where slot is not null and phase is not null;
create index runs_failed on runtime.runs (workspace_id, id desc) where status = 'failed';
-- No index by correlation: it would cost 4 µs a URL run and as much at each claim and end (experiments.md). Runs of one correlation
-- lie close together in time; the list looks at a bounded span of ids.

-- One row a commit of a run, not one an effect. `entries` is the JSON of a list: [number, kind, …], see the ADR. `upto` is the
-- highest number that is done with this commit, `reads` the same for readings of the clock.
create table runtime.journal (
  run_id   uuid not null,
  try      smallint not null,
  segment  int not null,
  upto     int not null,
  reads    int not null,
  entries  text not null,
  primary key (run_id, try, segment)
) partition by range (run_id); -- days, so that they can be dropped sooner than runs (JOURNAL_RETENTION_DAYS 7)
create table runtime.journal_default partition of runtime.journal default;

-- Raises when a commit carries work of a claim that is no longer ours: nothing of the statement is written then.
create function runtime.require_claims(locked bigint, wanted bigint) returns void language plpgsql as $$
begin
  if locked <> wanted then
    raise exception 'A run of this commit has been claimed by another process.' using errcode = 'PF001';
  end if;
end
$$;

-- The claim: from workspace to workspace after the one served last, at most `each` runs of each, locked rows skipped. Its cost
-- depends on what it claims, not on what is queued. The settings hold the planner to the index (as outbox.events_after).
create function runtime.claim(
  after_workspace text, workspaces int, each int, maximum int, claimer text, lease interval, except_workspaces text[]
) returns setof runtime.runs language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    with recursive turn (workspace_id, number) as (
      (select r.workspace_id, 1 from runtime.runs r
       where r.phase = 'ready' and r.deaths = 0 and r.workspace_id > after_workspace order by r.workspace_id limit 1)
      union all
      select (select r.workspace_id from runtime.runs r
              where r.phase = 'ready' and r.deaths = 0 and r.workspace_id > t.workspace_id order by r.workspace_id limit 1),
             t.number + 1
      from turn t where t.workspace_id is not null and t.number < workspaces
    ), due as materialized (
      select d.id from turn t cross join lateral (
        select r.id from runtime.runs r
        where r.workspace_id = t.workspace_id and r.phase = 'ready' and r.deaths = 0
        order by r.rank, r.ready_at limit each for update skip locked) d
      where t.workspace_id <> all (except_workspaces)
      limit maximum
    )
    update runtime.runs r set phase = 'working', attempt = r.attempt + 1, worker = claimer, woken = false, due_at = null,
      leased_until = now() + lease, started_at = coalesce(r.started_at, now()), seed = coalesce(r.seed, gen_random_uuid())
    from due where r.id = due.id
    returning r.*;
end
$$;
-- Expected plan (measured, see experiments.md): Recursive Union of Limit → Merge Append → Index Only Scan using runs_ready on
-- each partition (those without ready rows cost one page), Nested Loop with Limit → LockRows → Merge Append → Index Scan.
-- A process remembers the last workspace; when fewer workspaces came than asked for, it begins again at ''.

-- THE COMMIT: one statement for whatever the runs of this turn did, through one group commit. Parts with nothing to do are left out.
--   with fence as materialized (
--     select r.id from runtime.runs r join unnest($ids, $attempts) c (id, attempt) on r.id = c.id and r.attempt = c.attempt
--     where r.phase = 'working' order by r.id for no key update of r),
--   begun    as (insert into runtime.runs …),             -- durable URL runs, before the first thing leaves the process
--   finished as (insert into runtime.runs …),             -- URL runs that are over, as today
--   journal  as (insert into runtime.journal …),
--   waits    as (insert into runtime.waits … horizon = pg_snapshot_xmin of when the wait began),
--   consumed as (delete from runtime.waits …),            -- whose event is in the journal of this commit
--   moved    as (update runtime.runs r set               -- ends, parks, retries: attempt is compared again
--                  phase = case when m.to_phase = 'parked' and r.woken then 'ready' else m.to_phase end, woken = false, … ),
--   events   as (insertEvents), queued as (insert runs), contexts as (upsertPatches)
--   select runtime.require_claims(count(*), $n), pg_snapshot_xmin(pg_current_snapshot()) as horizon from fence
-- Without claimed runs there is no fence. The main query runs first: a lost claim raises before anything is modified; the group
-- commit then writes its items one by one, and the late one fails alone.

------------------------------------------------------------------------------------------------------------------------
-- 2. Waits (0005)
------------------------------------------------------------------------------------------------------------------------

-- One row for each alternative of `oneOf`. It is also the inbox: an event is put into it, the process that claims the run takes
-- it over into the journal and deletes the row in the same commit. The claimer is the only one who writes a journal.
create table runtime.waits (
  run_id           uuid not null,
  number           int not null,       -- of the effect
  alternative      smallint not null,
  workspace_id     text not null,
  event            text not null,
  -- The first filter that asks for one value: its path, and the hash of the value. '' and 0 where there is none.
  path             text not null,
  value_hash       int not null,
  filters          json,
  cancel_triggers  boolean not null default false,
  -- Set until the reader of the log has looked back: no event before this snapshot can be meant.
  horizon          xid8,
  record           json,               -- the event that came
  primary key (run_id, number, alternative)
);
create index waits_match on runtime.waits (workspace_id, event, path, value_hash) where record is null;
create index waits_new on runtime.waits (run_id) where horizon is not null;

-- Fulfilment (by the reader of the log, in the transaction that also queues the triggered runs of the batch). It locks the rows of the
-- runs first, in the order of their ids, as a commit does: neither waits for what the other has (ADR 0040):
--   select id from runtime.runs where id = any (…) order by id for no key update;
--   with met as (update runtime.waits w set record = m.record, horizon = null from (…) m
--                where w.run_id = m.run_id and w.number = m.number and w.alternative = m.alternative and w.record is null returning w.run_id)
--   update runtime.runs r set woken = true, phase = case r.phase when 'parked' then 'ready' else r.phase end, ready_at = clock_timestamp(),
--     due_at = case r.phase when 'parked' then null else r.due_at end
--   from met where r.id = met.run_id and r.phase is not null
--   returning case when r.phase = 'working' then pg_notify('runs', r.worker) end
-- Parking and fulfilling both write the row of the run; whichever comes second sees the other: no wake-up is lost.

-- Time (any process, every 250 ms and when the next is due; the one statement behind sleeps, timeouts, backoff, debounce):
--   with due as materialized (select id from runtime.runs where due_at <= now() order by due_at limit 500 for update skip locked)
--   update runtime.runs r set phase = 'ready', ready_at = clock_timestamp(), due_at = null from due where r.id = due.id and r.phase in ('held', 'parked')

-- `concurrency`, of keyed runs only: called by whoever queues a run or ends one. Under a lock a key, in the order of the keys.
-- Moves the oldest held runs of a key to ready while fewer than `most` are ready, working or parked.
-- runtime.admit(slots text[], most int[]) returns void

-- `debounce`: what is gathered until its time; a run is made of it then.
create table runtime.debounces (
  workspace_id  text not null,
  slot          text not null,
  event_id      uuid not null,         -- the newest; the run's id is derived from it
  run           json not null,         -- the run to be queued
  first_at      timestamptz not null,
  due_at        timestamptz not null,
  primary key (workspace_id, slot)
);
create index debounces_due on runtime.debounces (due_at);

------------------------------------------------------------------------------------------------------------------------
-- 3. Schedules (0006)
------------------------------------------------------------------------------------------------------------------------

create table runtime.schedules (
  workspace_id     text not null,
  automation_slug  text not null,
  position         smallint not null,  -- in `when.schedules`
  cron             text not null,
  timezone         text not null,
  missed           text not null default 'once' check (missed in ('once', 'skip', 'all')),
  next_at          timestamptz not null,
  last_at          timestamptz,
  missed_ticks     int not null default 0,
  created_at       timestamptz not null default now(),
  primary key (workspace_id, automation_slug, position)
);
create index schedules_due on runtime.schedules (next_at);
-- A tick: in one transaction lock due rows (limit 500, skip locked), insert the runs (id derived from workspace, automation, position and
-- instant of the tick: a second time changes nothing), the event runtime.schedules.triggered, and the next time.

------------------------------------------------------------------------------------------------------------------------
-- 4. Definitions as they were (built otherwise: docs/adr/0064, workspaces 0005 and 0006)
------------------------------------------------------------------------------------------------------------------------

-- Each text once, by what it is.
create table workspaces.definition_texts (
  workspace_id  text not null references workspaces.workspaces (id) on delete cascade,
  checksum      text not null,
  definition    json not null,
  source        text, -- the YAML as sent, for lines and columns
  primary key (workspace_id, checksum)
);
-- Which text a slug had from a revision on; checksum null: it was deleted.
create table workspaces.definition_history (
  workspace_id   text not null references workspaces.workspaces (id) on delete cascade,
  slug           text not null,
  revision       bigint not null,
  checksum       text,
  superseded_at  timestamptz, -- set on the row before when a newer one comes
  primary key (workspace_id, slug, revision)
);
create index definition_history_superseded on workspaces.definition_history (superseded_at) where superseded_at is not null;
-- Right whichever version of the service saves: the database writes it, at the end of the transaction, with the revision that ends with.
create function workspaces.record_definition() returns trigger language plpgsql as $$
declare
  at_revision bigint;
begin
  select w.revision into at_revision from workspaces.workspaces w where w.id = coalesce(new.workspace_id, old.workspace_id);
  if at_revision is null then return null; end if; -- deleted with its workspace
  if tg_op = 'DELETE' or (tg_op = 'UPDATE' and old.slug <> new.slug) then
    perform workspaces.note_definition(old.workspace_id, old.slug, at_revision, null);
  end if;
  if tg_op <> 'DELETE' then
    insert into workspaces.definition_texts (workspace_id, checksum, definition)
    values (new.workspace_id, new.checksum, new.definition) on conflict do nothing;
    perform workspaces.note_definition(new.workspace_id, new.slug, at_revision, new.checksum);
  end if;
  return null;
end
$$;
create function workspaces.note_definition(of_workspace text, of_slug text, at_revision bigint, new_checksum text) returns void
language sql as $$
  update workspaces.definition_history set superseded_at = now()
  where workspace_id = of_workspace and slug = of_slug and revision < at_revision and superseded_at is null;
  -- A deletion is superseded from the start, so that it goes by age as well.
  insert into workspaces.definition_history (workspace_id, slug, revision, checksum, superseded_at)
  values (of_workspace, of_slug, at_revision, new_checksum, case when new_checksum is null then now() end)
  on conflict (workspace_id, slug, revision) do update
    set checksum = excluded.checksum, superseded_at = excluded.superseded_at;
$$;
create constraint trigger record_new_definition after insert or delete on workspaces.automations
  deferrable initially deferred for each row execute function workspaces.record_definition();
create constraint trigger record_changed_definition after update on workspaces.automations
  deferrable initially deferred for each row when (old.checksum <> new.checksum or old.slug <> new.slug)
  execute function workspaces.record_definition();
-- Once, what is there:
insert into workspaces.definition_texts (workspace_id, checksum, definition)
  select workspace_id, checksum, definition from workspaces.automations on conflict do nothing;
insert into workspaces.definition_history (workspace_id, slug, revision, checksum)
  select a.workspace_id, a.slug, w.revision, a.checksum from workspaces.automations a join workspaces.workspaces w on w.id = a.workspace_id;
-- What the runtime reads: the newest row of a slug at or below a revision.
create view workspaces.recorded_definitions as
select h.workspace_id, h.slug, h.revision, h.checksum, t.definition, t.source
from workspaces.definition_history h
left join workspaces.definition_texts t on t.workspace_id = h.workspace_id and t.checksum = h.checksum;
-- A daily job deletes superseded rows older than RUNS_RETENTION_DAYS plus 40 days (the longest a run may live), then texts nobody names.
