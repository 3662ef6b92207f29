-- As `events_after`, with nothing but id, type and workspace of the events of some types.
create function outbox.events_briefly_after(after_xid xid8, after_position bigint, maximum int, brief text[])
returns table (id uuid, xid xid8, "position" bigint, announce boolean, record json, traceparent text)
language plpgsql stable
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select e.id, e.xid, e.position, e.announce,
      case when e.type = any(brief)
        then json_build_object('id', e.id, 'type', e.type,
          'source', json_strip_nulls(json_build_object('workspaceId', e.workspace_id)))
        else e.record end,
      e.traceparent
    from outbox.events e
    where (e.xid, e.position) > (after_xid, after_position)
      and e.xid < pg_snapshot_xmin(pg_current_snapshot())
    order by e.xid, e.position
    limit maximum;
end
$$;
