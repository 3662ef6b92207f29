-- Runs that stand at a `wait` have the status waiting, which the version before neither claims nor drops, and say what for in waits_for:
-- event, time, or worker once they are to go on. Their time is in a column of its own, because the version before queues what is due.
alter table runtime.runs add column wakes_at timestamptz;
create index runs_waking on runtime.runs (wakes_at) where wakes_at is not null;
create index runs_woken on runtime.runs (workspace_id, rank, id) where status = 'waiting' and waits_for = 'worker';
create index runs_parked_in_slots on runtime.runs (slot, id)
  where slot is not null and status = 'waiting' and waits_for in ('event', 'time', 'worker');

-- No event that is committed later is in a transaction before this one: what came since a commit of a run is found by looking back to it.
alter table runtime.journal
  add column horizon xid8 default pg_snapshot_xmin(pg_current_snapshot()),
  add column written_at timestamptz default now();

-- A row for each event that a run waits for. It is also where the event is put; the process that has the run takes it from there.
create table runtime.waits (
  run_id           uuid not null,
  number           int not null,      -- of the effect, in the run
  alternative      smallint not null, -- in oneOf
  workspace_id     text not null,
  event            text not null,
  -- The first filter that asks for one value: where it is in the event, and the hash of it. '' and 0 where there is none.
  path             text not null,
  value_hash       int not null,
  filters          json,
  cancel_triggers  boolean not null,
  -- Events of transactions before this one are not meant.
  since            xid8 not null,
  -- Only events of transactions before this one can have been handled before this row could be seen.
  kept_in          xid8 not null default pg_current_xact_id(),
  -- False until the log was searched for events that were handled before this row could be seen.
  looked_back      boolean not null default false,
  ends_at          timestamptz not null,
  -- True when the time was over before an event came.
  closed           boolean not null default false,
  record           json,              -- the event that came
  primary key (run_id, number, alternative)
);
create index waits_open on runtime.waits (workspace_id, event, path, value_hash) where record is null and not closed;
create index waits_unseen on runtime.waits (run_id) where not looked_back;

-- Where in events of these types somebody waits for a value: a loose scan of the index of open waits.
create function runtime.list_waited(workspaces text[], types text[])
  returns table (workspace_id text, event text, path text) language plpgsql stable
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
declare
  found_path text;
begin
  for one in 1 .. cardinality(workspaces) loop
    found_path := null;
    loop
      select w.path into found_path from runtime.waits w
      where w.workspace_id = workspaces[one] and w.event = types[one] and w.record is null and not w.closed
        and (found_path is null or w.path > found_path)
      order by w.workspace_id, w.event, w.path limit 1;
      exit when found_path is null;
      workspace_id := workspaces[one];
      event := types[one];
      path := found_path;
      return next;
    end loop;
  end loop;
end
$$;

-- The waits that have one of these keys. Those that keep events from starting automations come first.
create function runtime.find_waits(workspaces text[], types text[], paths text[], hashes int[])
  returns setof runtime.waits language plpgsql stable
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select w.* from unnest(workspaces, types, paths, hashes) k (workspace_id, event, path, value_hash)
    join runtime.waits w on w.workspace_id = k.workspace_id and w.event = k.event and w.path = k.path
      and w.value_hash = k.value_hash and w.record is null and not w.closed;
end
$$;

-- Events of these types since a transaction, in the order of the log, as far as readers of the log can have come.
create function runtime.events_since(lowest xid8, workspaces text[], types text[], after_xid xid8, after_position bigint, maximum int)
  returns table (xid xid8, "position" bigint, record json) language plpgsql stable
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select e.xid, e.position, e.record from outbox.events e
    where e.xid >= lowest and (e.xid, e.position) > (after_xid, after_position)
      and e.xid < pg_snapshot_xmin(pg_current_snapshot())
      and exists (select from unnest(workspaces, types) k (workspace_id, type)
        where k.workspace_id = e.workspace_id and k.type = e.type)
    order by e.xid, e.position limit maximum;
end
$$;

-- As claim_queued, of runs that stood at a `wait` and are to go on.
create function runtime.claim_woken(claimer text, lease interval, most int, after_workspace text, without text[])
  returns setof runtime.runs language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
declare
  turns text[] := '{}';
  place text := after_workspace;
  is_second_lap boolean := false;
  candidate text;
  share int;
  locked uuid[];
  ids uuid[] := '{}';
begin
  while cardinality(turns) < most loop
    select r.workspace_id into candidate from runtime.runs r
    where r.status = 'waiting' and r.waits_for = 'worker' and r.workspace_id > place
    order by r.workspace_id, r.rank, r.id limit 1;
    if candidate is null then
      exit when is_second_lap;
      is_second_lap := true;
      place := '';
    else
      exit when is_second_lap and candidate > after_workspace;
      place := candidate;
      if candidate <> all (without) then
        turns := turns || candidate;
      end if;
    end if;
  end loop;

  for turn in 1 .. cardinality(turns) loop
    share := ceil((most - cardinality(ids))::numeric / (cardinality(turns) - turn + 1));
    select array_agg(one.id) into locked from (
      select r.id from runtime.runs r
      where r.status = 'waiting' and r.waits_for = 'worker' and r.workspace_id = turns[turn]
      order by r.rank, r.id limit share for update skip locked) one;
    ids := ids || locked;
  end loop;

  return query
    with claimed as (
      update runtime.runs r set status = 'running', waits_for = null, attempt = r.attempt + 1, worker = claimer,
        leased_until = now() + lease
      where r.id = any (ids) returning r.*)
    select c.* from claimed c order by array_position(ids, c.id);
end
$$;

-- Places of a slot that are taken: runs keep theirs while they stand at a `wait`.
create function runtime.count_in_slot(counted text) returns int language sql stable set enable_seqscan = off as $$
  select (select count(*) from runtime.runs r where r.slot = counted and r.status in ('queued', 'running'))::int
    + (select count(*) from runtime.runs r
       where r.slot = counted and r.status = 'waiting' and r.waits_for in ('event', 'time', 'worker'))::int
$$;

create or replace function runtime.admit_to_slot(admitted_to text) returns int language plpgsql
  set enable_seqscan = off set enable_sort = off as $$
declare
  most int;
  admitted int;
begin
  perform runtime.lock_slot(admitted_to);
  select r.slot_limit into most from runtime.runs r
  where r.slot = admitted_to and r.status = 'waiting' and r.waits_for = 'slot' order by r.rank, r.id limit 1;
  if most is null then return 0; end if;
  with due as materialized (
    select r.id from runtime.runs r
    where r.slot = admitted_to and r.status = 'waiting' and r.waits_for = 'slot' order by r.rank, r.id
    limit greatest(0, most - runtime.count_in_slot(admitted_to)) for no key update)
  update runtime.runs r set status = 'queued', waits_for = null from due where r.id = due.id and r.status = 'waiting';
  get diagnostics admitted = row_count;
  return admitted;
end
$$;

-- A run that stands at a `wait` is asked to end, like one that is at work.
create or replace function runtime.cancel_oldest_in_slot(crowded text, newest uuid, most int, reason text, described jsonb)
  returns setof uuid language plpgsql set enable_seqscan = off as $$
begin
  perform runtime.lock_slot(crowded);
  return query
    with others as materialized (
      select r.id, r.status = 'running' as has_begun from runtime.runs r
      where r.slot = crowded and r.status in ('queued', 'running') and r.id <> newest and r.cancel_requests is null
      union all
      select r.id, true from runtime.runs r
      where r.slot = crowded and r.status = 'waiting' and r.waits_for in ('event', 'time', 'worker') and r.id <> newest
        and r.cancel_requests is null
      union all
      select r.id, false from runtime.runs r
      where r.slot = crowded and r.status = 'waiting' and r.waits_for = 'slot' and r.id <> newest),
    oldest as materialized (
      select o.id, o.has_begun from others o order by o.id limit greatest(0, (select count(*) from others) + 1 - most)),
    cancelled as (
      update runtime.runs r set cancel_requests = 1, cancel_reason = reason, wakes_at = null,
        waits_for = case when o.has_begun and r.status = 'waiting' then 'worker' end,
        status = case when o.has_begun then r.status else 'cancelled' end,
        finished_at = case when o.has_begun then null else now() end,
        error = case when o.has_begun then null else described end
      from oldest o where r.id = o.id and r.status in ('queued', 'running', 'waiting')
      returning r.id, r.status)
    select c.id from cancelled c where c.status in ('running', 'waiting');
end
$$;

create or replace function runtime.take_slot(wanted text, most int, run_id uuid, run_attempt int, may_wait boolean)
  returns text language plpgsql set enable_seqscan = off as $$
declare
  is_first boolean;
begin
  perform runtime.lock_slot(wanted);
  is_first := not exists (select from runtime.runs r where r.slot = wanted and r.status = 'waiting' and r.waits_for = 'slot');
  if runtime.count_in_slot(wanted) < most and (is_first or not may_wait) then
    update runtime.runs r set slot = wanted where r.id = run_id and r.attempt = run_attempt and r.status = 'running';
    return case when found then 'taken' else 'lost' end;
  end if;
  if not may_wait then return 'full'; end if;
  -- It begins with the automations of the time when it is admitted.
  update runtime.runs r set status = 'waiting', waits_for = 'slot', slot = wanted, slot_limit = most, leased_until = null, worker = null,
    started_at = case when r.try = 0 then null else r.started_at end, revision = null
  where r.id = run_id and r.attempt = run_attempt and r.status = 'running';
  if not found then return 'lost'; end if;
  perform runtime.admit_to_slot(wanted);
  return 'held';
end
$$;
