-- The YAML an automation was saved as, and line and column of its instructions there. Only of the definition with this checksum: a save
-- that knows nothing of sources leaves another checksum beside them.
alter table workspaces.automations add column source text, add column source_checksum text, add column source_places json;

create or replace view workspaces.live_automations as
select a.workspace_id, a.slug, a.definition, a.checksum, a.endpoint, a.events, a.disabled, a.created_at,
  case when a.source_checksum = a.checksum then a.source_places end as places
from workspaces.automations a
join workspaces.workspaces w on w.id = a.workspace_id
where w.deleted_at is null;
