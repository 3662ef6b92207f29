-- Few automations have a priority; those without are not looked at.
create index automations_with_priority on workspaces.automations (workspace_id, slug)
  where index_entry #> '{priority}' is not null;

-- The priorities of automations of living workspaces; what can't be one, however it came there, is none.
create view workspaces.live_priorities as
select a.workspace_id, a.slug as automation_slug, least(100, greatest(-100, (a.index_entry ->> 'priority')::numeric))::smallint as priority
from workspaces.automations a
join workspaces.workspaces w on w.id = a.workspace_id
where w.deleted_at is null and a.index_entry #> '{priority}' is not null and json_typeof(a.index_entry #> '{priority}') = 'number';
