-- Authenticators. A secret is sealed and opens only in the row of its user; it counts from its first right code on.
create table gateway.totp (
  user_id        text primary key references gateway.users (id) on delete cascade,
  secret         text, -- sealed
  pending_secret text, -- sealed; a new authenticator that waits for its first code
  confirmed_at   timestamptz,
  last_step      bigint not null default 0, -- the 30 s of the newest code that was taken: none is taken twice
  check ((secret is null) = (confirmed_at is null))
);

-- What replaces a code when the authenticator is lost. Hashed: whoever reads this table can't use them.
create table gateway.recovery_codes (
  user_id   text not null references gateway.totp (user_id) on delete cascade,
  code_hash text not null,
  used_at   timestamptz,
  primary key (user_id, code_hash)
);
