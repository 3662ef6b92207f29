-- What an event is found by once it is in the log of its workspace, where its emitter has worked that out (ADR 0095): its lexemes, but for
-- those of a vocabulary.
alter table outbox.events add column words tsvector, add column vocabulary uuid;

-- The next events after a cursor. Of those of some types nothing but id, type and workspace: their record is null.
create function outbox.read_events(after_xid xid8, after_position bigint, maximum int, brief text[])
returns table (id uuid, xid xid8, "position" bigint, announce boolean, record json, traceparent text, type text, workspace_id text)
language plpgsql stable
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select e.id, e.xid, e.position, e.announce, case when e.type = any(brief) then null else e.record end,
      e.traceparent, e.type, e.workspace_id
    from outbox.events e
    where (e.xid, e.position) > (after_xid, after_position)
      and e.xid < pg_snapshot_xmin(pg_current_snapshot())
    order by e.xid, e.position
    limit maximum;
end
$$;

-- The same with the record of each.
create or replace function outbox.events_after(after_xid xid8, after_position bigint, maximum int)
returns table (id uuid, xid xid8, "position" bigint, announce boolean, record json, traceparent text)
language sql stable
as $$
  select id, xid, position, announce, record, traceparent from outbox.read_events(after_xid, after_position, maximum, '{}')
$$;

-- For processes of the version before, which want JSON of what is brief.
create or replace function outbox.events_briefly_after(after_xid xid8, after_position bigint, maximum int, brief text[])
returns table (id uuid, xid xid8, "position" bigint, announce boolean, record json, traceparent text)
language sql stable
as $$
  select id, xid, position, announce,
    coalesce(record, json_build_object('id', id, 'type', type,
      'source', json_strip_nulls(json_build_object('workspaceId', workspace_id)))),
    traceparent
  from outbox.read_events(after_xid, after_position, maximum, brief)
$$;

-- Events by their ids, in the order of these; `place` counts them from 1. One that isn't there (any more) is left out.
create function outbox.events_of(ids uuid[])
returns table (place bigint, id uuid, record json, words tsvector, vocabulary uuid)
language plpgsql stable
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select asked.place, e.id, e.record, e.words, e.vocabulary
    from unnest(ids) with ordinality as asked (id, place) join outbox.events e on e.id = asked.id
    order by asked.place;
end
$$;
