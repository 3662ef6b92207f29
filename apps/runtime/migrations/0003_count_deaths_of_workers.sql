-- How often a worker of the run stopped to hold on to it. A run that was given back in order was begun again as well, but that is no
-- reason to give it up.
alter table runtime.runs add column deaths int not null default 0;
