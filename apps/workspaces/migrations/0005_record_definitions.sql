-- What automations were before they were changed or deleted, for runs that began with it. What an automation is now stands in
-- workspaces.automations alone, so there is nothing to fill in here: it is recorded when something else takes its place.

-- Each text once, by what it is.
create table workspaces.definition_texts (
  workspace_id   text not null references workspaces.workspaces (id) on delete cascade,
  checksum       text not null,
  definition     json not null,
  superseded_at  timestamptz not null, -- the last time another took its place
  primary key (workspace_id, checksum)
);
create index definition_texts_by_age on workspaces.definition_texts (superseded_at);

-- Which text a slug had until a revision of the workspace, which had another one; checksum null: it had none. What was so at a
-- revision is the first row above it, or else what there is now.
create table workspaces.definition_history (
  workspace_id    text not null references workspaces.workspaces (id) on delete cascade,
  until_revision  bigint not null,
  slug            text not null,
  checksum        text,
  superseded_at   timestamptz not null,
  primary key (workspace_id, until_revision, slug)
);
create index definition_history_by_age on workspaces.definition_history (superseded_at);

-- What the runtime reads.
create view workspaces.recorded_definitions as
select h.workspace_id, h.until_revision, h.slug, h.checksum, t.definition
from workspaces.definition_history h
left join workspaces.definition_texts t on t.workspace_id = h.workspace_id and t.checksum = h.checksum;

-- Right whichever version of the service saves. It is called at the end of the transaction, when the revision is that of the change;
-- of several changes in one, the first knows what was so before.
create function workspaces.record_definition() returns trigger language plpgsql as $$
declare
  at_revision bigint;
begin
  select w.revision into at_revision from workspaces.workspaces w
  where w.id = coalesce(new.workspace_id, old.workspace_id);
  -- Deleted with its workspace.
  if at_revision is null then return null; end if;
  if tg_op <> 'INSERT' then
    insert into workspaces.definition_texts as t (workspace_id, checksum, definition, superseded_at)
    values (old.workspace_id, old.checksum, old.definition, now())
    on conflict (workspace_id, checksum) do update set superseded_at = greatest(t.superseded_at, excluded.superseded_at);
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
