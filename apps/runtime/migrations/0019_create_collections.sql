-- Records that automations keep with the module `collections` (docs/adr/0068). An index of a collection is a column here
-- that holds an ordered text made of the indexed properties: what tells rows of workspaces apart compares such columns
-- only, because a condition on a part of the document may not be asked before a row is known to be the workspace's.
create table runtime.collections (
  id uuid primary key,
  workspace_id text not null,
  name text not null,
  -- Properties with their types, indexes and uniques, each with its column.
  schema json not null,
  -- Rises with each change of the schema: who wrote or asked with another one does so again.
  version int not null default 1,
  -- As it was counted last.
  records bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (workspace_id, name)
);

create table runtime.records (
  collection_id uuid not null,
  id text collate "C" not null,
  workspace_id text not null,
  data jsonb not null,
  size int not null,
  k1 text collate "C", k2 text collate "C", k3 text collate "C", k4 text collate "C",
  k5 text collate "C", k6 text collate "C", k7 text collate "C", k8 text collate "C",
  u1 text collate "C", u2 text collate "C", u3 text collate "C", u4 text collate "C",
  primary key (collection_id, id)
);

create index records_k1 on runtime.records (collection_id, k1) where k1 is not null;
create index records_k2 on runtime.records (collection_id, k2) where k2 is not null;
create index records_k3 on runtime.records (collection_id, k3) where k3 is not null;
create index records_k4 on runtime.records (collection_id, k4) where k4 is not null;
create index records_k5 on runtime.records (collection_id, k5) where k5 is not null;
create index records_k6 on runtime.records (collection_id, k6) where k6 is not null;
create index records_k7 on runtime.records (collection_id, k7) where k7 is not null;
create index records_k8 on runtime.records (collection_id, k8) where k8 is not null;
create unique index records_u1 on runtime.records (collection_id, u1) where u1 is not null;
create unique index records_u2 on runtime.records (collection_id, u2) where u2 is not null;
create unique index records_u3 on runtime.records (collection_id, u3) where u3 is not null;
create unique index records_u4 on runtime.records (collection_id, u4) where u4 is not null;

-- Everything a module asks of these tables is asked as a role that owns nothing and sees the rows of one workspace.
-- Where the account of the platform may not make roles, an operator makes it (docs/operations.md).
alter table runtime.collections enable row level security;
alter table runtime.records enable row level security;
create policy workspace on runtime.collections
  using (workspace_id = current_setting('platform.workspace', true))
  with check (workspace_id = current_setting('platform.workspace', true));
create policy workspace on runtime.records
  using (workspace_id = current_setting('platform.workspace', true))
  with check (workspace_id = current_setting('platform.workspace', true));

do $$
begin
  if not exists (select from pg_roles where rolname = 'platform_collections') then
    create role platform_collections nologin;
  end if;
exception when duplicate_object or unique_violation or insufficient_privilege then null;
end
$$;

do $$
begin
  grant platform_collections to current_user;
exception when undefined_object or insufficient_privilege or invalid_grant_operation then null;
end
$$;

do $$
begin
  grant usage on schema runtime to platform_collections;
  grant select, insert, update, delete on runtime.collections, runtime.records to platform_collections;
  grant select, insert on runtime.module_effects to platform_collections;
exception when undefined_object then null;
end
$$;
