-- The run that a run was made from, and how.
alter table runtime.runs add column origin_id uuid, add column origin_kind text;
-- Failed runs are looked for among many that succeeded. Runs that a request waits for are written once, at their end:
-- those that succeed are in neither of these.
create index runs_failed on runtime.runs (workspace_id, id desc) where status = 'failed';
create index runs_made_from on runtime.runs (origin_id) where origin_id is not null;
