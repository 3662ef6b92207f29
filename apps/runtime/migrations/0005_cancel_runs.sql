-- How often somebody asked for the run to be cancelled, and the reason they gave. Null: nobody did.
alter table runtime.runs add column cancel_requests smallint, add column cancel_reason text;
