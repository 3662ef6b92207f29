-- Set when an operator asks for the rotation of the key that signs: it is due although it is younger than JWKS_ROTATION_DAYS.
alter table gateway.signing_keys add column due_at timestamptz;
