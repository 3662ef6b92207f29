-- A sign-in that proved itself before this instant counts no more: set when the password changes, a little ahead, since checks of the
-- old one may be under way and clocks differ.
alter table gateway.users add column sign_ins_valid_from timestamptz;
