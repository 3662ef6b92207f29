-- By what others see that the holder of a queue lives, and the token it was written with: a process of an earlier version takes a queue
-- without saying who it is, and the name of the holder before must not count for it.
alter table events.subscription_queues add column holder int, add column holder_token bigint;
