-- How a run was made from another where that was no retry: replay or fork. origin_kind says retry of all of them, the only word that the
-- version before knows.
alter table runtime.runs add column origin_way text;

-- What somebody asked for many runs at once. Any process works on it, a few runs at a time.
create table runtime.bulk_jobs (
  id            uuid primary key,
  workspace_id  text not null,
  action        text not null check (action in ('replay', 'retry', 'cancel')),
  definition    text not null, -- original or current
  reason        text not null,
  total         int not null,
  created_at    timestamptz not null default now(),
  worked_at     timestamptz not null default now(), -- the job that waited longest is next
  leased_until  timestamptz,
  finished_at   timestamptz
);
create index bulk_jobs_open on runtime.bulk_jobs (worked_at) where finished_at is null;

-- The runs it is about, as they were found when it was accepted.
create table runtime.bulk_runs (
  job_id   uuid not null references runtime.bulk_jobs on delete cascade,
  run_id   uuid not null,
  is_done  boolean, -- null: not yet; false: it could not be done
  primary key (job_id, run_id)
);
create index bulk_runs_left on runtime.bulk_runs (job_id, run_id) where is_done is null;
