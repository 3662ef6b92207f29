-- What people have allowed clients that don't belong to the platform. It outlives grants and sessions: who signs out is not asked again.
create table gateway.oidc_consents (
  account_id text not null references gateway.users (id) on delete cascade,
  client_id  text not null,
  place      text not null, -- where the client gets its answers: the person agreed to this one only
  scopes     text[] not null,
  given_at   timestamptz not null default now(),
  primary key (account_id, client_id, place)
);

create index oidc_consents_of_client on gateway.oidc_consents (client_id);

-- The grants of one client, which end with it.
create index oidc_records_grants_of_client on gateway.oidc_records ((payload ->> 'clientId')) where model = 'Grant';
