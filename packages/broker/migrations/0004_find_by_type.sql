-- Who looks for what has come since a place in the log asks for events of one type of one workspace.
create index events_by_type on outbox.events (workspace_id, type, xid, position);
