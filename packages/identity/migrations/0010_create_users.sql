create table gateway.users (
  id                 text primary key,
  email              text unique, -- lower case; absent for anonymous users
  first_name         text,
  last_name          text,
  language           text,
  status             text not null check (status in ('pending', 'validated', 'deactivated')),
  auth_data          jsonb not null default '{}', -- one entry a provider
  platform_role      text check (platform_role in ('superAdmin')),
  password_hash      text, -- PHC string; the password itself is never stored
  email_validated_at timestamptz, -- when a mail to the address was answered; only then SUPER_ADMIN_EMAILS counts
  expires_at         timestamptz, -- set for anonymous users only
  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now()
);

create index users_expiring on gateway.users (expires_at) where expires_at is not null;

-- What the first start began; the row outlives a crash between its two halves.
create table gateway.first_start (
  id                 boolean primary key default true check (id),
  administrator_id   text not null,
  sample_claimed_at  timestamptz,
  sample_made_at     timestamptz -- also set at once when no sample is wanted
);
