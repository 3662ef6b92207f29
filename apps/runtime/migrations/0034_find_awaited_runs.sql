-- Runs that a run of another workspace waits for: they end with it.
create index runs_awaited on runtime.runs (trigger_id)
  where trigger_type = 'automation' and source_workspace_id is not null and finished_at is null;
