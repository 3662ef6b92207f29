alter table gateway.sessions
  add column last_used_at timestamptz, -- to the minute
  add column last_ip      text,
  add column signing_kid  text, -- of the latest JWT, so that removing a key can say whom it signs out
  add column provider     text, -- how the person proved who they are; null where nobody did
  add column client_name  text;

create index sessions_signing_kid on gateway.sessions (signing_kid) where ended_at is null;
create index sessions_anonymous on gateway.sessions (expires_at) where anonymous;

-- One-time addresses that sign a browser in to a session that exists. Only hashes are kept: who reads the table can't open one.
create table gateway.web_session_tickets (
  ticket_hash text primary key,
  session_id  text not null, -- the session it was asked for with; when that has ended the ticket is worth nothing
  scopes      text[] not null,
  redirect    text not null,
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null,
  used_at     timestamptz
);

create index web_session_tickets_expired on gateway.web_session_tickets (expires_at);
