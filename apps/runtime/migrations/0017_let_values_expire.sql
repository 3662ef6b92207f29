-- `set` with `lifespan`: when single keys of a context end, as Unix milliseconds. Where nothing ends by itself it is null.
alter table runtime.contexts add column expiries jsonb;
