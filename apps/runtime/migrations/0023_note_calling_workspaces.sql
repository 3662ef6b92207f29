-- Whose run has started a run, where that was another workspace, and whether it showed itself (docs/adr/0072).
alter table runtime.runs add column source_workspace_id text, add column authenticated_workspace_id text;
