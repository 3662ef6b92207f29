-- How often a run was begun anew after a failure. One that waits for its next try has the status waiting, which the version before neither
-- claims nor drops, says so in waits_for, and is queued at due_at.
alter table runtime.runs
  add column try smallint not null default 0,
  add column waits_for text,
  add column due_at timestamptz;
create index runs_due on runtime.runs (due_at) where due_at is not null;
