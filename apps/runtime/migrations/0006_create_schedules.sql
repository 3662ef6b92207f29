-- The schedules of automations and when each fires next. Made from workspaces.live_schedules and made anew from there when it is lost,
-- but for the times that passed meanwhile.
create table runtime.schedules (
  workspace_id     text not null,
  automation_slug  text not null,
  position         smallint not null, -- in when.schedules, from 0
  cron             text not null,
  timezone         text not null,
  missed           text not null,
  disabled         boolean not null,
  next_at          timestamptz, -- null: never
  last_at          timestamptz, -- the last time that started a run; the run's id is derived from it
  missed_ticks     int not null default 0,
  primary key (workspace_id, automation_slug, position)
);

create index schedules_due on runtime.schedules (next_at) where next_at is not null;
