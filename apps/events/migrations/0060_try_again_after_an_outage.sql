-- What an endpoint that was away did not take is tried again as soon as it takes something: not before the instant it asked for itself,
-- and only so often.
alter table events.deliveries add column not_before timestamptz, add column hastened int not null default 0;
