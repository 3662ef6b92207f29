-- Rows up to a page are stored as they are: making most of them smaller costs more than storing one.
do $$
declare
  partition regclass;
begin
  for partition in select inhrelid from pg_inherits where inhparent = 'outbox.events'::regclass loop
    execute format('alter table %s set (toast_tuple_target = 8160)', partition);
  end loop;
end
$$;
