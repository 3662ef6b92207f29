-- Parts of a key that the writing statement changes, and the whole keys it writes beside them; they mean nothing once they are stored.
alter table runtime.contexts add column replacing jsonb, add column changes jsonb;

-- `target` after one change at `path[at…]`: {value}, {removed} or {pushed: […]}. What is missing on the way is made, as the runtime does.
create function runtime.with_change(target jsonb, path jsonb, at int, change jsonb) returns jsonb language plpgsql immutable as $$
declare
  key text := path ->> at;
  index int;
  size int;
begin
  if at = jsonb_array_length(path) then
    if change ? 'pushed' then
      return case when jsonb_typeof(target) = 'array' then target else '[]' end || (change -> 'pushed');
    end if;
    return change -> 'value';
  end if;
  if jsonb_typeof(target) is distinct from 'object' and jsonb_typeof(target) is distinct from 'array' then
    if change ? 'removed' then return target; end if;
    target := case jsonb_typeof(path -> at) when 'number' then '[]' else '{}' end;
  end if;
  if jsonb_typeof(target) = 'array' then
    index := case when key ~ '^[0-9]{1,9}$' then key::int end;
    size := jsonb_array_length(target);
    -- Somebody else has made a list of it meanwhile: there is no such part any more.
    if index is null or (change ? 'removed' and index >= size) then return target; end if;
    -- Nobody puts anything farther behind the end of a list than this.
    if index > size + 10000 then return target; end if;
    while index > size loop
      target := target || 'null'::jsonb;
      size := size + 1;
    end loop;
    return jsonb_set(target, array[key], coalesce(runtime.with_change(target -> index, path, at + 1, change), 'null'));
  end if;
  if change ? 'removed' then
    if not target ? key then return target; end if;
    if at + 1 = jsonb_array_length(path) then return target - key; end if;
  end if;
  return target || jsonb_build_object(key, runtime.with_change(target -> key, path, at + 1, change));
end
$$;

-- The keys of a context after changes of parts of them, one after another.
create function runtime.with_changes(content jsonb, changes jsonb) returns jsonb language plpgsql immutable as $$
declare
  change jsonb;
begin
  for change in select value from jsonb_array_elements(changes) loop
    content := runtime.with_change(content, change -> 'path', 0, change);
  end loop;
  return content;
end
$$;
