-- Documents have their words and terms of their values in one column (search-vector.ts, ADR 0087). The index on all fields is left to
-- those that a version before has stored; it is empty once these are older than any kept.
drop index search.documents_fields;
create index documents_fields on search.documents using gin (document jsonb_path_ops) where not words @@ '='::tsquery;

-- Rows up to a page are stored as they are: making most of them smaller costs more than storing one.
do $$
declare
  partition regclass;
begin
  for partition in select inhrelid from pg_inherits where inhparent = 'search.documents'::regclass loop
    execute format('alter table %s set (toast_tuple_target = 8160)', partition);
  end loop;
end
$$;
