-- Every run of an automation. Runs that wait for a worker are queued here as well: what was triggered is never lost.
-- The id is a UUIDv7, so a week is a range of ids; the id of a triggered run is derived from the event and the automation, which
-- makes "once per event and automation" a matter of the primary key.
create table runtime.runs (
  id uuid not null,
  workspace_id text not null,
  automation_slug text not null,
  trigger_type text not null,
  trigger_value text not null,
  trigger_id text,
  status text not null,
  correlation_id text not null,
  -- Rises with every claim. Only the worker of the latest attempt may write anything of the run.
  attempt int not null default 0,
  leased_until timestamptz,
  worker text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  duration_ms int,
  error jsonb,
  -- True when the run was given up because its workers died again and again.
  dead_letter boolean not null default false,
  -- Arguments, caller and depth of a queued run: enough to start it again.
  input json,
  primary key (id),
  check (status in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'))
) partition by range (id);

create index runs_of_workspace on runtime.runs (workspace_id, id desc);
create index runs_queued on runtime.runs (id) where status = 'queued';
create index runs_leased on runtime.runs (leased_until) where status = 'running';

create table runtime.runs_default partition of runtime.runs default;
