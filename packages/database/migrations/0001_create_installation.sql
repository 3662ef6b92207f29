-- Which database this is, for as long as it lives: a backup takes it along.
create table installation.identity (
  one      boolean primary key default true check (one),
  id       uuid not null default gen_random_uuid(),
  made_at  timestamptz not null default now()
);
insert into installation.identity default values;
