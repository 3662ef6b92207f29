-- What the runtime must know of every automation of a workspace; definitions are read one by one, when they are first run. Computed by
-- the database, so that they are right whichever version of the service saves.
alter table workspaces.automations
  add column events json generated always as (index_entry #> '{when,events}') stored,
  add column disabled boolean not null generated always as (coalesce(index_entry ->> 'disabled' = 'true', false)) stored;

-- The automations of living workspaces.
create view workspaces.live_automations as
select a.workspace_id, a.slug, a.definition, a.checksum, a.endpoint, a.events, a.disabled, a.created_at
from workspaces.automations a
join workspaces.workspaces w on w.id = a.workspace_id
where w.deleted_at is null;
