-- From here on every change is recorded.
create constraint trigger record_new_definition after insert or delete on workspaces.automations
  deferrable initially deferred for each row execute function workspaces.record_definition();
create constraint trigger record_changed_definition after update on workspaces.automations
  deferrable initially deferred for each row when (old.checksum <> new.checksum or old.slug <> new.slug)
  execute function workspaces.record_definition();
