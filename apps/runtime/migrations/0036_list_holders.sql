-- The workers that hold runs. A bitmap would come to all runs that have ended since the last vacuum, each time; a plain scan of the index marks
-- them as it passes, and the next one leaves them out.
create function runtime.list_holders() returns setof bigint language sql stable
  set enable_seqscan = off set enable_bitmapscan = off
as $$
  select distinct r.worker::bigint from runtime.runs r where r.status = 'running' and r.worker ~ '^[0-9]{1,10}$'
$$;
