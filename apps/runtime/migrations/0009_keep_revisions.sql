-- The revision of its workspace that a run began with: it goes on with the automations of then, whoever takes it over. Null in runs
-- that were begun before there was this column, and where the workspace is gone: they take what there is.
alter table runtime.runs add column revision bigint;

-- Right whichever version of the service claims.
create function runtime.keep_revision() returns trigger language plpgsql as $$
begin
  -- The schema of the workspaces service may be made after this one.
  if to_regclass('workspaces.live_definitions') is not null then
    select d.revision into new.revision from workspaces.live_definitions d where d.workspace_id = new.workspace_id;
  end if;
  return new;
end
$$;
create trigger keep_revision before update on runtime.runs for each row
  when (new.revision is null and new.attempt > old.attempt) execute function runtime.keep_revision();
