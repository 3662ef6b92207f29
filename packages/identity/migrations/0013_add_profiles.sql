alter table gateway.users
  add column photo text, -- address of the picture
  add column meta  jsonb not null default '{}'; -- what applications keep with an account

create index users_created on gateway.users (created_at desc, id) where email is not null;
create index users_super_admins on gateway.users (id) where platform_role = 'superAdmin';
