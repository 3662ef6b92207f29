-- One row for each Idempotency-Key in use. A row without a status is a request that runs until its lease ends; what became of it then
-- is unknown.
create table idempotency.requests (
  -- SHA-256 of the caller and the key, which may itself tell something.
  id           bytea primary key,
  fingerprint  bytea not null,
  owner        uuid not null,
  lease_until  timestamptz not null,
  created_at   timestamptz not null default now(),
  status       smallint,
  headers      jsonb,
  body         text,
  secret       boolean not null default false
);

create index requests_by_age on idempotency.requests (created_at);
