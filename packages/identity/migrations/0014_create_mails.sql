-- The secrets of mailed links. Whoever reads this table can't use one: only hashes are kept.
create table gateway.mailed_tokens (
  token_hash  text primary key, -- SHA-256
  purpose     text not null check (purpose in ('validate', 'reset', 'delete')),
  user_id     text not null references gateway.users (id) on delete cascade,
  email       text not null, -- it works only while this is the address of the account
  interaction text, -- the sign-in somebody came from
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null,
  used_at     timestamptz
);

create index mailed_tokens_of_user on gateway.mailed_tokens (user_id);
create index mailed_tokens_expiry on gateway.mailed_tokens (expires_at);

-- Mails that a server has not taken over yet.
create table gateway.mails (
  id          uuid primary key, -- UUIDv7
  sealed      text not null, -- address, template and links under the master keys
  attempts    int not null default 0,
  next_try_at timestamptz not null default now(),
  expires_at  timestamptz not null
);

create index mails_next on gateway.mails (next_try_at);
create index mails_expiry on gateway.mails (expires_at);
