-- What each cleanup has done so far: a run that was cut off goes on where it was.
create table events.cleanups (
  name           text primary key, -- indices or executions
  followed_at    timestamptz not null, -- up to when its schedule was followed
  started_at     timestamptz, -- of the run under way; null when there is none
  place          text, -- how far that run came
  report         json, -- what it has done
  finished_at    timestamptz -- of the last run
);
