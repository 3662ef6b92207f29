create table gateway.access_tokens (
  id            uuid primary key default gen_random_uuid(),
  user_id       text not null,
  name          text not null,
  token_hash    text not null unique, -- SHA-256; the token itself is shown once and never stored
  created_at    timestamptz not null default now(),
  expires_at    timestamptz not null,
  last_used_at  timestamptz
);

create index access_tokens_of_user on gateway.access_tokens (user_id);
create index access_tokens_expired on gateway.access_tokens (expires_at);
