create table gateway.sessions (
  id          text primary key,
  user_id     text not null, -- the client itself for client credentials
  client_id   text not null,
  anonymous   boolean not null,
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null,
  ended_at    timestamptz, -- signed out or revoked; the row stays until it would have expired
  ip          text,
  user_agent  text
);

create index sessions_of_user on gateway.sessions (user_id) where ended_at is null;
create index sessions_expired on gateway.sessions (expires_at);
