-- What automations keep with the module `secrets`, sealed by a master key for exactly this row: a value that is moved
-- to another workspace, user or name opens no more (docs/adr/0069).
create table runtime.secrets (
  workspace_id text not null,
  scope text not null,
  -- The user of scope `user`, empty for those of the workspace.
  owner text not null default '',
  name text not null,
  sealed text not null,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, scope, owner, name),
  check (scope in ('workspace', 'user'))
);

create index secrets_by_expiry on runtime.secrets (expires_at) where expires_at is not null;

-- What modules have written for runs that may be done again, with what they answered: a write whose answer was lost with
-- its process is not made twice. Rows go once their run has ended.
create table runtime.module_effects (
  id uuid primary key,
  run_id uuid not null,
  answer json not null,
  created_at timestamptz not null default now()
);

create index module_effects_by_age on runtime.module_effects (created_at);
