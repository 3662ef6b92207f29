-- Queued runs are claimed from workspace to workspace, and within one by rank: the smaller goes first, then the older. Runs that a
-- process of the version before queues have the rank of most.
alter table runtime.runs add column rank smallint not null default 0;
create index runs_ready on runtime.runs (workspace_id, rank, id) where status = 'queued';

-- Claims at most `most` queued runs for `claimer`. It goes round the workspaces that have some, beginning with the one after
-- `after_workspace`, and shares what there is to claim out among them; those in `without` are passed over. Its cost depends on what it
-- claims, not on what is queued: the settings hold the planner to the index. Answers the runs in the order of their workspaces' turns.
create function runtime.claim_queued(claimer text, lease interval, most int, after_workspace text, without text[])
  returns setof runtime.runs language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
declare
  turns text[] := '{}';
  place text := after_workspace;
  is_second_lap boolean := false;
  candidate text;
  share int;
  locked uuid[];
  ids uuid[] := '{}';
begin
  while cardinality(turns) < most loop
    select r.workspace_id into candidate from runtime.runs r
    where r.status = 'queued' and r.workspace_id > place order by r.workspace_id, r.rank, r.id limit 1;
    if candidate is null then
      exit when is_second_lap;
      is_second_lap := true;
      place := '';
    else
      exit when is_second_lap and candidate > after_workspace;
      place := candidate;
      if candidate <> all (without) then
        turns := turns || candidate;
      end if;
    end if;
  end loop;

  for turn in 1 .. cardinality(turns) loop
    -- What one workspace leaves over is for those after it.
    share := ceil((most - cardinality(ids))::numeric / (cardinality(turns) - turn + 1));
    select array_agg(one.id) into locked from (
      select r.id from runtime.runs r where r.status = 'queued' and r.workspace_id = turns[turn]
      order by r.rank, r.id limit share for update skip locked) one;
    ids := ids || locked;
  end loop;

  return query
    with claimed as (
      update runtime.runs r set status = 'running', attempt = r.attempt + 1, worker = claimer, leased_until = now() + lease,
        started_at = coalesce(r.started_at, now())
      where r.id = any (ids) returning r.*)
    select c.* from claimed c order by array_position(ids, c.id);
end
$$;
