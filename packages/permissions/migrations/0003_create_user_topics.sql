-- Audiences of events, by name; they go with their workspace.
create table permissions.user_topics (
  workspace_id  text not null references permissions.workspaces (id) on delete cascade,
  name          text not null,
  created_at    timestamptz not null default now(),
  primary key (workspace_id, name)
);

create table permissions.user_topic_members (
  workspace_id  text not null,
  user_id       text not null,
  topic         text not null,
  primary key (workspace_id, user_id, topic),
  foreign key (workspace_id, topic) references permissions.user_topics (workspace_id, name) on delete cascade
);

create index user_topic_members_by_topic on permissions.user_topic_members (workspace_id, topic);
