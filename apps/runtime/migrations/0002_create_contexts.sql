-- Values that automations have set in user, session, global and run, one row for each owner; the last write of a key wins.
create table runtime.contexts (
  workspace_id text not null,
  context text not null,
  -- The user, session or correlation id; empty for the workspace itself.
  owner text not null,
  content jsonb not null default '{}',
  -- Keys that the writing statement removes from what is there; means nothing once it is stored.
  removed text[] not null default '{}',
  updated_at timestamptz not null default now(),
  expires_at timestamptz,
  primary key (workspace_id, context, owner)
);

create index contexts_expiry on runtime.contexts (expires_at) where expires_at is not null;
