-- A run that is at work is found by its id, whatever table the plan of a function was made for (docs/adr/0093): while a partition is new, its
-- index of runs at work looks as good, and has an entry for each run that has ended since the last vacuum.
create or replace function runtime.take_slot(wanted text, most int, run_id uuid, run_attempt int, may_wait boolean)
  returns text language plpgsql set enable_seqscan = off as $$
declare
  is_first boolean;
begin
  perform runtime.lock_slot(wanted);
  is_first := not exists (select from runtime.runs r where r.slot = wanted and r.status = 'waiting' and r.waits_for = 'slot');
  if runtime.count_in_slot(wanted) < most and (is_first or not may_wait) then
    update runtime.runs r set slot = wanted where r.id = run_id and r.attempt = run_attempt and r.status is not distinct from 'running';
    return case when found then 'taken' else 'lost' end;
  end if;
  if not may_wait then return 'full'; end if;
  -- It begins with the automations of the time when it is admitted.
  update runtime.runs r set status = 'waiting', waits_for = 'slot', slot = wanted, slot_limit = most, leased_until = null, worker = null,
    started_at = case when r.try = 0 then null else r.started_at end, revision = null
  where r.id = run_id and r.attempt = run_attempt and r.status is not distinct from 'running';
  if not found then return 'lost'; end if;
  perform runtime.admit_to_slot(wanted);
  return 'held';
end
$$;

create or replace function runtime.debounce_run(wanted text, run_id uuid, run_attempt int, period interval, longest interval, described jsonb)
  returns text language plpgsql set enable_seqscan = off as $$
declare
  me runtime.runs;
  held runtime.runs;
  began timestamptz;
  is_later boolean;
begin
  perform runtime.lock_slot(wanted);
  select * into me from runtime.runs r where r.id = run_id and r.attempt = run_attempt and r.status is not distinct from 'running' for no key update;
  if not found then return 'lost'; end if;
  select * into held from runtime.runs r
  where r.debounce = wanted and r.status = 'waiting' and r.waits_for = 'debounce' limit 1 for no key update;
  began := least(me.created_at, held.debounced_since);
  -- Events of one millisecond have ids in any order: the log knows which was later, for as long as it has them.
  select (h.xid, h.position) > (m.xid, m.position) into is_later from outbox.events h, outbox.events m
  where h.id = held.trigger_id::uuid and m.id = me.trigger_id::uuid;
  if coalesce(is_later, held.trigger_id > me.trigger_id) then
    update runtime.runs r set debounced_since = began, due_at = least(r.due_at, began + longest) where r.id = held.id;
    return 'replaced';
  end if;
  update runtime.runs r set status = 'cancelled', finished_at = now(), error = described, waits_for = null, due_at = null
  where r.id = held.id;
  -- It begins with the automations of the time when it goes on.
  update runtime.runs r set status = 'waiting', waits_for = 'debounce', due_at = least(me.created_at + period, began + longest),
    debounce = wanted, debounced_since = began, leased_until = null, worker = null, started_at = null, revision = null
  where r.id = run_id;
  return 'held';
end
$$;
