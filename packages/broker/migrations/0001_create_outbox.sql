-- The log of all committed events. It is read in the order (xid, position): rows of transactions that ended, oldest first, so that
-- nothing a slower transaction commits later can slip in behind a reader. The id is a UUIDv7, so a day is a range of ids.
create sequence outbox.positions as bigint cache 32;

create table outbox.events (
  id uuid not null,
  position bigint not null default nextval('outbox.positions'),
  xid xid8 not null default pg_current_xact_id(),
  workspace_id text,
  type text not null,
  -- True when every instance hears of it at once.
  announce boolean not null default false,
  -- json, not jsonb: it is handed on as it came, never searched here.
  record json not null,
  primary key (id)
) partition by range (id);

create index events_order on outbox.events (xid, position);

create table outbox.events_default partition of outbox.events default;

-- How far each reader of the log has come.
create table outbox.consumers (
  name text primary key,
  xid xid8 not null default '0',
  position bigint not null default 0,
  -- Only of the relay: the stream it writes.
  stream_id text,
  updated_at timestamptz not null default now()
) with (fillfactor = 50);

-- Events that failed alone too often, with the reason; nothing is dropped in silence.
create table outbox.dead_letters (
  group_name text not null,
  event_id text not null,
  record json,
  reason text not null,
  at timestamptz not null default now(),
  primary key (group_name, event_id)
);

create index dead_letters_at on outbox.dead_letters (at);

-- How far each group has come in a stream outside of this database; a wiped and remade stream has another id.
create table outbox.stream_positions (
  group_name text primary key,
  stream_id text not null,
  sequence bigint not null,
  updated_at timestamptz not null default now()
) with (fillfactor = 50);

-- The next events after a cursor. The settings hold the planner to the index: statistics of a partition that was empty a moment
-- ago would let it sort the whole log at each call.
create function outbox.events_after(after_xid xid8, after_position bigint, maximum int)
returns table (id uuid, xid xid8, "position" bigint, announce boolean, record json)
language plpgsql stable
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select e.id, e.xid, e.position, e.announce, e.record
    from outbox.events e
    where (e.xid, e.position) > (after_xid, after_position)
      and e.xid < pg_snapshot_xmin(pg_current_snapshot())
    order by e.xid, e.position
    limit maximum;
end
$$;

-- Tells every instance of an event when the transaction commits. A notice holds 8,000 bytes: a larger payload stays behind.
create function outbox.announce(event_type text, workspace_id text, payload json) returns void
language plpgsql
as $$
declare
  notice text;
begin
  if octet_length(payload::text) <= 6000 then
    notice := json_build_object('topic', 'event:' || event_type, 'payload',
      json_build_object('type', event_type, 'workspaceId', workspace_id, 'payload', payload)::text)::text;
  end if;
  if notice is null or octet_length(notice) > 7900 then
    notice := json_build_object('topic', 'event:' || event_type, 'payload',
      json_build_object('type', event_type, 'workspaceId', workspace_id)::text)::text;
  end if;
  perform pg_notify('announcements', notice);
end
$$;
