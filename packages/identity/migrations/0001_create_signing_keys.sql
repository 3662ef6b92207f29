create table gateway.signing_keys (
  kid            text primary key,
  alg            text not null,
  kind           text not null, -- key type and size, for example "RSA 2048"
  sealed_jwk     text not null, -- the whole pair, sealed with SECRETS_MASTER_KEYS
  published_at   timestamptz not null,
  signs_since    timestamptz, -- null while it is published ahead of its turn
  rotated_at     timestamptz  -- set when its successor took over; it still verifies
);

-- One key signs, whatever goes wrong around it.
create unique index signing_keys_one_signs on gateway.signing_keys ((true)) where signs_since is not null and rotated_at is null;
