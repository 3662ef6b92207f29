-- Runs of an automation with `concurrency` share a slot a key. A run that is queued or running has its place there; one above the limit waits
-- with `waits_for = 'slot'`, in no index that claims read. All that is done to a slot is done under one lock.
alter table runtime.runs add column slot text, add column slot_limit smallint;
create index runs_in_slots on runtime.runs (slot, id) where slot is not null and status in ('queued', 'running');
create index runs_held on runtime.runs (slot, rank, id) where status = 'waiting' and waits_for = 'slot';

create function runtime.lock_slot(locked text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('runtime.slot ' || locked, 0))
$$;

-- Queues the held runs of a slot that have room by now; answers how many.
create function runtime.admit_to_slot(admitted_to text) returns int language plpgsql
  set enable_seqscan = off set enable_sort = off as $$
declare
  most int;
  taken int;
  admitted int;
begin
  perform runtime.lock_slot(admitted_to);
  select r.slot_limit into most from runtime.runs r
  where r.slot = admitted_to and r.status = 'waiting' and r.waits_for = 'slot' order by r.rank, r.id limit 1;
  if most is null then return 0; end if;
  select count(*) into taken from runtime.runs r where r.slot = admitted_to and r.status in ('queued', 'running');
  with due as materialized (
    select r.id from runtime.runs r
    where r.slot = admitted_to and r.status = 'waiting' and r.waits_for = 'slot' order by r.rank, r.id
    limit greatest(0, most - taken) for no key update)
  update runtime.runs r set status = 'queued', waits_for = null from due where r.id = due.id and r.status = 'waiting';
  get diagnostics admitted = row_count;
  return admitted;
end
$$;

-- Makes room for one more run: ends the oldest of those that wait, and asks the oldest of those that are at work to end. Answers the ids
-- of the latter, for their workers.
create function runtime.cancel_oldest_in_slot(crowded text, newest uuid, most int, reason text, described jsonb)
  returns setof uuid language plpgsql set enable_seqscan = off as $$
begin
  perform runtime.lock_slot(crowded);
  return query
    with others as materialized (
      select r.id from runtime.runs r
      where r.slot = crowded and r.status in ('queued', 'running') and r.id <> newest and r.cancel_requests is null
      union all
      select r.id from runtime.runs r where r.slot = crowded and r.status = 'waiting' and r.waits_for = 'slot' and r.id <> newest),
    cancelled as (
      update runtime.runs r set cancel_requests = 1, cancel_reason = reason, waits_for = null,
        status = case r.status when 'running' then r.status else 'cancelled' end,
        finished_at = case r.status when 'running' then null else now() end,
        error = case r.status when 'running' then null else described end
      where r.id in (select o.id from others o order by o.id limit greatest(0, (select count(*) from others) + 1 - most))
        and r.status in ('queued', 'running', 'waiting')
      returning r.id, r.status)
    select c.id from cancelled c where c.status = 'running';
end
$$;

-- A place in a slot for a run that its worker has claimed. Answers what became of it: taken, held (the worker has it no more), full, or lost
-- where another worker has claimed it.
create function runtime.take_slot(wanted text, most int, run_id uuid, run_attempt int, may_wait boolean)
  returns text language plpgsql set enable_seqscan = off as $$
declare
  taken int;
  is_first boolean;
begin
  perform runtime.lock_slot(wanted);
  select count(*) into taken from runtime.runs r where r.slot = wanted and r.status in ('queued', 'running');
  is_first := not exists (select from runtime.runs r where r.slot = wanted and r.status = 'waiting' and r.waits_for = 'slot');
  if taken < most and (is_first or not may_wait) then
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
