-- The span that emitted an event, where requests are traced: what handles the event goes on with that trace (W3C Trace Context).
alter table outbox.events add column traceparent text;

drop function outbox.events_after(xid8, bigint, int);

-- As before, with the new column.
create function outbox.events_after(after_xid xid8, after_position bigint, maximum int)
returns table (id uuid, xid xid8, "position" bigint, announce boolean, record json, traceparent text)
language plpgsql stable
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select e.id, e.xid, e.position, e.announce, e.record, e.traceparent
    from outbox.events e
    where (e.xid, e.position) > (after_xid, after_position)
      and e.xid < pg_snapshot_xmin(pg_current_snapshot())
    order by e.xid, e.position
    limit maximum;
end
$$;
