-- Functions in code that the automations of a workspace call, as they are declared by now.
create table workspaces.functions (
  workspace_id  text not null references workspaces.workspaces (id) on delete cascade,
  name          text not null,
  definition    json not null,
  checksum      text not null,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  created_by    text not null,
  updated_by    text not null,
  primary key (workspace_id, name)
);

-- Those of living workspaces, as the runtime reads them.
create view workspaces.live_functions as
select f.workspace_id, f.name, f.definition, f.checksum
from workspaces.functions f
join workspaces.workspaces w on w.id = f.workspace_id
where w.deleted_at is null;

-- What a function was before is kept beside what automations were, for runs that began with it: as `function:<name>`, which no slug of an
-- automation can be.
create function workspaces.record_function() returns trigger language plpgsql as $$
declare
  at_revision bigint;
begin
  select w.revision into at_revision from workspaces.workspaces w
  where w.id = coalesce(new.workspace_id, old.workspace_id);
  -- Deleted with its workspace.
  if at_revision is null then return null; end if;
  if tg_op = 'INSERT' then
    insert into workspaces.definition_history (workspace_id, until_revision, slug, checksum, superseded_at)
    values (new.workspace_id, at_revision, 'function:' || new.name, null, now()) on conflict do nothing;
    return null;
  end if;
  insert into workspaces.definition_texts as t (workspace_id, checksum, definition, superseded_at)
  values (old.workspace_id, old.checksum, old.definition, now())
  on conflict (workspace_id, checksum) do update set superseded_at = greatest(t.superseded_at, excluded.superseded_at);
  insert into workspaces.definition_history (workspace_id, until_revision, slug, checksum, superseded_at)
  values (old.workspace_id, at_revision, 'function:' || old.name, old.checksum, now()) on conflict do nothing;
  return null;
end
$$;

create constraint trigger record_new_function after insert or delete on workspaces.functions
  deferrable initially deferred for each row execute function workspaces.record_function();
create constraint trigger record_changed_function after update on workspaces.functions
  deferrable initially deferred for each row when (old.checksum <> new.checksum)
  execute function workspaces.record_function();
