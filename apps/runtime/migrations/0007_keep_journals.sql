-- What came into runs that are under way, so that another process can do them again as they were (ADR 0060): a row for each commit of a
-- run before its last. Partitioned like the runs; a partition goes when its runs are over and old enough.
create table runtime.journal (
  run_id uuid not null,
  -- How often the automation was begun anew for the run.
  try smallint not null default 0,
  segment int not null,
  -- The highest number of an effect that is done with this commit, and how often the clock was read by then.
  upto int not null,
  reads int not null,
  -- Hash of the places of all effects up to there: a run that comes to others is not the same any more.
  place int not null,
  -- JSON of a list of entries.
  entries text not null,
  -- How entries are read, and what the numbers count.
  format smallint not null default 1,
  primary key (run_id, try, segment)
) partition by range (run_id);

create table runtime.journal_default partition of runtime.journal default;
