-- Undoes the statement it is part of where not all claims that it writes for are still its worker's.
create function runtime.require_claims(held int, wanted int) returns boolean language plpgsql as $$
begin
  if held <> wanted then
    raise exception 'another worker has claimed a run' using errcode = 'RT001';
  end if;
  return true;
end
$$;
