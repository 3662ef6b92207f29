-- A run that a later event may replace waits with waits_for = 'debounce' until due_at. What it belongs to together is the hash of its
-- automation and key; once it was queued again it keeps it, and is not held a second time.
alter table runtime.runs add column debounce text, add column debounced_since timestamptz;
create index runs_debounced on runtime.runs (debounce) where status = 'waiting' and waits_for = 'debounce';

-- Holds a claimed run until nothing more has come for a while, instead of the one that is held for the same. Answers replaced where that one
-- is newer, which then goes on no later than the burst allows.
create function runtime.debounce_run(wanted text, run_id uuid, run_attempt int, period interval, longest interval, described jsonb)
  returns text language plpgsql set enable_seqscan = off as $$
declare
  me runtime.runs;
  held runtime.runs;
  began timestamptz;
  is_later boolean;
begin
  perform runtime.lock_slot(wanted);
  select * into me from runtime.runs r where r.id = run_id and r.attempt = run_attempt and r.status = 'running' for no key update;
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
