-- Workspaces whose events will be deleted some days after this, unless they are restored in time.
create table events.scheduled_deletions (
  workspace_id  text primary key,
  deleted_at    timestamptz not null
);

create index scheduled_deletions_by_time on events.scheduled_deletions (deleted_at);
