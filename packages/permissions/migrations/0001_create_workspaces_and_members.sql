create table permissions.workspaces (
  id          text primary key,
  slug        text not null,
  name        text not null,
  deleted_at  timestamptz
);

-- A deleted workspace keeps its slug for a restore, without holding it against others.
create unique index workspaces_slug_of_the_living on permissions.workspaces (slug) where deleted_at is null;

create table permissions.members (
  workspace_id  text not null references permissions.workspaces (id) on delete cascade,
  user_id       text not null,
  role          text not null check (role in ('owner', 'editor')),
  primary key (workspace_id, user_id)
);

create index members_by_user on permissions.members (user_id);
