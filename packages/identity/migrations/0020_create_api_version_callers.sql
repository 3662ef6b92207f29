-- Who calls versions that are not stable, counted: one row a caller, written every few seconds.
create table gateway.api_version_callers (
  version       text not null,
  behaviour_of  text not null default '', -- the date whose behaviour was answered; empty where none was asked for
  kind          text not null,
  caller_id     text not null default '', -- id of the user or of the API key's record
  client_id     text not null default '',
  count         bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,
  primary key (version, behaviour_of, kind, caller_id, client_id)
);

create index api_version_callers_latest on gateway.api_version_callers (version, last_seen_at desc);
create index api_version_callers_age on gateway.api_version_callers (last_seen_at);
