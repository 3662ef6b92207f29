-- Up to where the log is counted. Moving it and adding to the figures is one transaction: every event counts once.
create table events.usage_progress (
  one boolean primary key default true check (one),
  sequence bigint not null
);
insert into events.usage_progress (sequence) values (0);

-- Runs that something outside started, by day (UTC).
create table events.usage_transactions (
  workspace_id text not null,
  day date not null,
  -- endpoint, event or schedule.
  kind text not null,
  count bigint not null,
  primary key (workspace_id, day, kind)
);

-- Who was behind these runs: what differs is counted for any span of days.
create table events.usage_visitors (
  workspace_id text not null,
  day date not null,
  -- session or user.
  kind text not null,
  visitor text collate "C" not null,
  primary key (workspace_id, day, kind, visitor)
);
create index usage_visitors_day on events.usage_visitors (day);

-- Figures that apps report. A day is the value set last on it, if any, and what was added since.
create table events.usage_metrics (
  workspace_id text not null,
  day date not null,
  app text not null,
  instance text not null,
  metric text not null,
  base double precision,
  added double precision not null,
  primary key (workspace_id, day, app, instance, metric)
);
