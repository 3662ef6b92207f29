-- When whoever looks after the index last found the store well; null after it was found away. A store that was killed has forgotten its
-- last seconds, so an index that was out of sight is compared with the log, whoever looks after it now.
alter table events.indexes add column well_at timestamptz default now();
