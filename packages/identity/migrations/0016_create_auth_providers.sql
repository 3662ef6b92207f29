-- External OpenID providers of organizations; those of the platform are in its file.
create table gateway.auth_providers (
  id                 text primary key,
  org_slug           text not null,
  slug               text not null unique, -- names the provider in addresses and in auth_data, so over the whole platform
  name               text,
  icon               text,
  type               text not null check (type in ('oidc')),
  config             jsonb not null, -- without the client's secret
  client_secret      text, -- sealed with a master key, bound to this row
  attributes_mapping jsonb not null default '{}', -- field of the account → claim of the provider
  enabled            boolean not null default true,
  meta               jsonb not null default '{}',
  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now()
);

create index auth_providers_org on gateway.auth_providers (org_slug, slug);

-- Whose mail domains these are: each belongs to one provider of the platform.
create table gateway.auth_provider_domains (
  domain      text primary key,
  provider_id text not null references gateway.auth_providers (id) on delete cascade
);

create index auth_provider_domains_provider on gateway.auth_provider_domains (provider_id);

-- Which account somebody at a provider is. The issuer belongs to the key: another server behind the same slug knows other people.
create table gateway.linked_accounts (
  provider    text not null, -- slug
  issuer      text not null,
  external_id text not null, -- the provider's `sub`
  user_id     text not null references gateway.users (id) on delete cascade,
  created_at  timestamptz not null default now(),
  primary key (provider, issuer, external_id)
);

create index linked_accounts_user on gateway.linked_accounts (user_id);

-- People who are at a provider at this moment; taken once, by the browser that left.
create table gateway.external_logins (
  state_hash      text primary key, -- SHA-256 of `state`
  browser_hash    text not null, -- SHA-256 of the cookie
  provider        text not null, -- slug
  interaction_uid text not null,
  secrets         text not null, -- nonce and PKCE verifier, sealed with a master key
  expires_at      timestamptz not null
);

create index external_logins_expiry on gateway.external_logins (expires_at);

-- People who have come back, on their way to the authorization they left; taken once.
create table gateway.external_login_tickets (
  ticket_hash     text primary key, -- SHA-256 of the ticket
  interaction_uid text not null,
  provider        text not null, -- slug
  user_id         text not null,
  expires_at      timestamptz not null
);

create index external_login_tickets_expiry on gateway.external_login_tickets (expires_at);
