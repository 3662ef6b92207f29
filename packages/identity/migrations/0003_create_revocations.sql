-- What every instance has to forget: ids of sessions, `at:<id>` of access tokens, `user:<id>` of changed users. Polled, so that
-- an ending is heard even while the broker is down; rows are kept a day.
create table gateway.revocations (
  sequence    bigint generated always as identity primary key,
  id          text not null,
  revoked_at  timestamptz not null default clock_timestamp()
);

create index revocations_revoked_at on gateway.revocations (revoked_at);
