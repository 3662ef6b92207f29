-- Everything the OIDC server remembers. Ids are hashed: whoever reads this table can't use a code, token or session of it.
create table gateway.oidc_records (
  model       text not null,
  id          text not null, -- SHA-256 of the id; grants and clients, which are no secrets, as they are
  payload     jsonb not null,
  grant_id    text,
  uid         text,
  user_code   text,
  account_id  text,
  consumed_at timestamptz,
  expires_at  timestamptz,
  primary key (model, id)
);

create index oidc_records_grant on gateway.oidc_records (grant_id) where grant_id is not null;
create index oidc_records_uid on gateway.oidc_records (uid) where uid is not null;
create index oidc_records_account on gateway.oidc_records (account_id) where account_id is not null;
create index oidc_records_expiry on gateway.oidc_records (expires_at) where expires_at is not null;

-- Which session the tokens of a grant belong to, and in which browser session the grant was given.
create table gateway.oidc_sign_ins (
  grant_id    text primary key,
  session_id  text not null,
  browser_uid text,
  account_id  text not null,
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null
);

create index oidc_sign_ins_session on gateway.oidc_sign_ins (session_id);
create index oidc_sign_ins_browser on gateway.oidc_sign_ins (browser_uid) where browser_uid is not null;
create index oidc_sign_ins_account on gateway.oidc_sign_ins (account_id);
create index oidc_sign_ins_expiry on gateway.oidc_sign_ins (expires_at);
