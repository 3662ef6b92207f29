-- The tables of collections as the role sees them that owns these views: a read that enters its workspace by itself
-- then needs no transaction (docs/adr/0068). Where there is no such role they show what the owner of the tables sees.
create view runtime.collections_of_workspace as select * from runtime.collections;
create view runtime.records_of_workspace as select * from runtime.records;

do $$
begin
  grant create on schema runtime to platform_collections;
  alter view runtime.collections_of_workspace owner to platform_collections;
  alter view runtime.records_of_workspace owner to platform_collections;
  revoke create on schema runtime from platform_collections;
  execute format('grant select on runtime.collections_of_workspace, runtime.records_of_workspace to %I', current_user);
exception when undefined_object or insufficient_privilege then null;
end
$$;
