-- The index that is made of the log: which one it is, how far it has come, and what is built again. One row: there is one index.
create table events.indexes (
  single         boolean primary key default true check (single),
  identity       text not null, -- as the index names itself; a wiped one has another
  build          bigint not null default 1, -- grows with each build, so that one that was overtaken stops
  stage          text not null check (stage in ('emptying', 'building', 'comparing', 'ready')),
  cursor         bigint not null default 0, -- sequence of the log up to which this build has copied
  copied         bigint not null default 0, -- documents copied by this build
  total          bigint not null default 0, -- documents of the log when it began
  started_at     timestamptz not null default now(),
  finished_at    timestamptz,
  reached        bigint not null default 0, -- greatest sequence that was indexed
  late_at        timestamptz -- when an event was last indexed long after it happened
) with (fillfactor = 50);

-- Streams that are built again one by one; they are read from the log meanwhile.
create table events.stream_rebuilds (
  stream         text primary key,
  emptied        boolean not null default false,
  cursor         bigint not null default 0,
  copied         bigint not null default 0,
  requested_at   timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
