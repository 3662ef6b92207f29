-- A record is added in one statement: through the view, which adds as the role that owns it does (docs/adr/0068).
do $$
begin
  execute format('grant insert on runtime.records_of_workspace to %I', current_user);
exception when undefined_object or insufficient_privilege then null;
end
$$;

-- What a writer does first, and the version of the schema then, none where the collection is gone. A statement reads
-- what was there when it began; what it asks of this function, what is there when the lock is its own.
create function runtime.enter_collection(workspace text, collection uuid) returns int
language plpgsql volatile as $$
begin
  perform set_config('platform.workspace', workspace, true);
  perform pg_advisory_xact_lock_shared(hashtextextended(collection::text, 68));
  return (
    select version from runtime.collections_of_workspace c
    where c.workspace_id = workspace and c.id = collection limit 1);
end
$$;
