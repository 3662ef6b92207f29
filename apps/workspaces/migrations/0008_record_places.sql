-- Where the instructions of a text stood when it was YAML.
alter table workspaces.definition_texts add column places json;

create or replace view workspaces.recorded_definitions as
select h.workspace_id, h.until_revision, h.slug, h.checksum, t.definition, t.places
from workspaces.definition_history h
left join workspaces.definition_texts t on t.workspace_id = h.workspace_id and t.checksum = h.checksum;

create or replace function workspaces.record_definition() returns trigger language plpgsql as $$
declare
  at_revision bigint;
begin
  select w.revision into at_revision from workspaces.workspaces w
  where w.id = coalesce(new.workspace_id, old.workspace_id);
  -- Deleted with its workspace.
  if at_revision is null then return null; end if;
  if tg_op <> 'INSERT' then
    insert into workspaces.definition_texts as t (workspace_id, checksum, definition, superseded_at, places)
    values (old.workspace_id, old.checksum, old.definition, now(),
      case when old.source_checksum = old.checksum then old.source_places end)
    on conflict (workspace_id, checksum) do update set
      superseded_at = greatest(t.superseded_at, excluded.superseded_at), places = coalesce(excluded.places, t.places);
    insert into workspaces.definition_history (workspace_id, until_revision, slug, checksum, superseded_at)
    values (old.workspace_id, at_revision, old.slug, old.checksum, now()) on conflict do nothing;
  end if;
  if tg_op = 'INSERT' or (tg_op = 'UPDATE' and new.slug <> old.slug) then
    insert into workspaces.definition_history (workspace_id, until_revision, slug, checksum, superseded_at)
    values (new.workspace_id, at_revision, new.slug, null, now()) on conflict do nothing;
  end if;
  return null;
end
$$;
