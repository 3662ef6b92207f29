create table workspaces.workspaces (
  id           text primary key,
  slug         text not null, -- unique among the living: schema permissions decides
  name         text not null,
  description  json,
  photo        text,
  labels       text[],
  config       json, -- json keeps the order of keys, which automations may iterate
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  created_by   text not null,
  updated_by   text not null,
  deleted_at   timestamptz,
  revision     bigint not null default 1, -- grows with each change of the workspace or of an automation in it
  touched_at   timestamptz not null default clock_timestamp() -- when the revision grew
);

create index workspaces_by_touched_at on workspaces.workspaces (touched_at);
create index workspaces_by_updated_at on workspaces.workspaces (updated_at desc, id) where deleted_at is null;
create index workspaces_in_the_trash on workspaces.workspaces (deleted_at) where deleted_at is not null;

create table workspaces.automations (
  workspace_id  text not null references workspaces.workspaces (id) on delete cascade,
  slug          text not null,
  definition    json not null, -- as saved: conditions are tried in the order written, so keys keep their order
  index_entry   json not null, -- the definition without its steps, for lists
  endpoint      text, -- pattern of the URL trigger, null without one
  checksum      text not null,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  created_by    text not null,
  updated_by    text not null,
  primary key (workspace_id, slug)
);

-- What the runtime executes, one row a living workspace.
create view workspaces.live_definitions as
select
  w.id as workspace_id,
  w.slug as workspace_slug,
  w.name as workspace_name,
  w.config,
  w.revision,
  w.touched_at,
  coalesce(
    (
      select json_object_agg(a.slug, a.definition order by a.created_at, a.slug)
      from workspaces.automations a
      where a.workspace_id = w.id
    ),
    '{}'::json
  ) as automations
from workspaces.workspaces w
where w.deleted_at is null;

-- What to poll for changes. A transaction may commit after a later touched_at was seen: read again from some seconds back and
-- compare revisions.
create view workspaces.changes as
select id as workspace_id, revision, touched_at, deleted_at is not null as deleted
from workspaces.workspaces;

-- What is made once in the life of a platform, even if it is deleted later.
create table workspaces.made_once (
  name          text primary key,
  workspace_id  text not null
);

-- Written and deleted by the readiness check.
create table workspaces.probes (
  id  uuid primary key
);
