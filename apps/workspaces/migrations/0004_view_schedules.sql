-- What time starts. The runtime compares all of it with what it has stored now and then, so those without schedules are not looked at.
create index automations_with_schedules on workspaces.automations (workspace_id, slug)
  where index_entry #> '{when,schedules}' is not null;

-- The schedules of living workspaces, one row each.
create view workspaces.live_schedules as
select
  a.workspace_id,
  a.slug as automation_slug,
  (one.number - 1)::smallint as position,
  coalesce(one.schedule ->> 'cron', one.schedule #>> '{}') as cron,
  coalesce(one.schedule ->> 'timezone', 'UTC') as timezone,
  coalesce(one.schedule ->> 'missed', 'once') as missed,
  a.disabled
from workspaces.automations a
join workspaces.workspaces w on w.id = a.workspace_id
cross join lateral json_array_elements(
  case when json_typeof(a.index_entry #> '{when,schedules}') = 'array' then a.index_entry #> '{when,schedules}' else '[]' end
) with ordinality as one (schedule, number)
where w.deleted_at is null and a.index_entry #> '{when,schedules}' is not null;
