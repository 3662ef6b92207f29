-- A wait counts from behind an event: what comes after it in the order of the log (xid, position) is meant. Null for one that counts from a
-- transaction on (since), as all do that the version before kept.
alter table runtime.waits add column after_xid xid8, add column after_position bigint;

-- Events of these types, of each those behind a place, in the order of the log and as far as readers of the log can have come.
create function runtime.events_behind(workspaces text[], types text[], xids xid8[], positions bigint[], after_xid xid8, after_position bigint,
    maximum int)
  returns table (xid xid8, "position" bigint, record json) language plpgsql stable
  set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select e.xid, e.position, e.record
    from (
      select one.id from unnest(workspaces, types, xids, positions) k (workspace_id, type, xid, "position")
      cross join lateral (
        select o.id, o.xid, o.position from outbox.events o
        where o.workspace_id = k.workspace_id and o.type = k.type
          and (o.xid, o.position) > (k.xid, k.position) and (o.xid, o.position) > (after_xid, after_position)
          and o.xid < pg_snapshot_xmin(pg_current_snapshot())
        order by o.xid, o.position limit maximum) one
      order by one.xid, one.position limit maximum) f
    cross join lateral (select o.xid, o.position, o.record from outbox.events o where o.id = f.id limit 1) e
    order by e.xid, e.position;
end
$$;
