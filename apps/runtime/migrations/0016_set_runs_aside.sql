-- A run that may have ended the process it was at work in is set aside (waits_for = 'quarantine') and done where nobody else is. The version
-- before leaves it alone for a minute, then queues it, as any that is due.
create index runs_set_aside on runtime.runs (id) where waits_for = 'quarantine';
