-- What a durable run of a request answered, as JSON: whoever repeats the request gets it, also where another process ended the run.
alter table runtime.runs add column output text;
