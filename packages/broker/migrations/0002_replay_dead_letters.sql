-- Dead letters are paged in the order they were kept, and one that is to be delivered again says so: the active process of its group
-- looks for those.
alter table outbox.dead_letters add column number bigint generated always as identity;
alter table outbox.dead_letters add column replay_asked_at timestamptz;

create unique index dead_letters_number on outbox.dead_letters (number);
create index dead_letters_to_replay on outbox.dead_letters (group_name, number) where replay_asked_at is not null;
