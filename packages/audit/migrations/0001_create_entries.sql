-- What matters to security, in the order of its commits. Rows are never changed or removed: a trigger refuses it even to the owner of
-- the table, and each row carries the hash of the one before.
create table audit.entries (
  sequence        bigint primary key,
  at              timestamptz not null,
  action          text not null,
  actor           text not null,
  subject         text not null,
  ip              text,
  correlation_id  text,
  details         text not null, -- JSON as it was hashed
  hash            text not null
);

create index entries_by_subject on audit.entries (subject, sequence desc);
create index entries_by_actor on audit.entries (actor, sequence desc);
create index entries_by_action on audit.entries (action, sequence desc);

create function audit.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit trail is append-only.';
end
$$;

create trigger entries_stay before update or delete on audit.entries
  for each row execute function audit.refuse_change();
create trigger entries_are_not_emptied before truncate on audit.entries
  for each statement execute function audit.refuse_change();

-- Also where replication or a restore would leave triggers out.
alter table audit.entries enable always trigger entries_stay;
alter table audit.entries enable always trigger entries_are_not_emptied;
