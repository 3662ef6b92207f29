-- Who works on a replay says until when; nothing is locked while the log is searched.
alter table events.subscription_replays add column worked_until timestamptz;
