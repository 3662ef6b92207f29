-- What the runtime signs with: what runs say of themselves when they call the platform (docs/adr/0072). The same life as that
-- of the keys of the gateway, in a table of its own.
create table runtime.signing_keys (
  kid            text primary key,
  alg            text not null,
  kind           text not null, -- key type and size, for example "RSA 2048"
  public_jwk     json not null,
  sealed_jwk     text not null, -- the whole pair, sealed with SECRETS_MASTER_KEYS
  published_at   timestamptz not null,
  signs_since    timestamptz, -- null while it is published ahead of its turn
  rotated_at     timestamptz, -- set when its successor took over; it still verifies
  due_at         timestamptz  -- set when its rotation was asked for
);

create unique index signing_keys_one_signs on runtime.signing_keys ((true)) where signs_since is not null and rotated_at is null;

-- What the gateway reads: it checks what the runtime has signed, and can sign nothing itself.
create view runtime.published_keys as select kid, alg, public_jwk, published_at from runtime.signing_keys;
