create table permissions.api_keys (
  id                      uuid primary key,
  workspace_id            text not null references permissions.workspaces (id) on delete cascade,
  name                    text not null,
  -- SHA-256 of the whole key, slug included: a key with another slug is another key.
  key_hash                text not null unique,
  key_tail                text not null,
  org_slug                text not null,
  rules                   jsonb not null,
  created_by              text not null,
  created_as_super_admin  boolean not null,
  disabled                boolean not null default false,
  expires_at              timestamptz,
  created_at              timestamptz not null,
  updated_at              timestamptz not null,
  last_used_at            timestamptz
);

create index api_keys_by_workspace on permissions.api_keys (workspace_id, created_at desc, id);
