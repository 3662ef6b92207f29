-- Webhook subscriptions: where events of a workspace are POSTed.
create table events.subscriptions (
  id uuid primary key,
  workspace_id text not null,
  name text not null,
  url text not null,
  -- Types; * stands for any characters.
  events text[] not null,
  -- Paths and their values, as in the feed.
  filter jsonb not null,
  ordered boolean not null,
  max_concurrency int not null,
  -- Own request headers: JSON, sealed with SECRETS_MASTER_KEYS; the names beside it for showing them.
  headers text,
  header_names text[] not null,
  -- Sealed as well. For a while after a rotation the one before signs too.
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  active boolean not null,
  -- Events from before are not collected.
  active_since timestamptz not null,
  paused_reason text,
  paused_at timestamptz,
  created_by text not null,
  -- Whoever changed it last answers for what it may see: events for owners only go to an owner's subscription.
  updated_by text not null,
  sees_all boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index subscriptions_workspace on events.subscriptions (workspace_id, id);

-- What a subscription has to do, and who does it: one process at a time works on a subscription, so that order and concurrency are
-- kept without asking anybody. Apart from the subscription, because it changes with every burst of events.
create table events.subscription_queues (
  subscription_id uuid primary key references events.subscriptions (id) on delete cascade,
  -- When there is something to send; null: nothing waits, or the subscription is paused.
  due_at timestamptz,
  -- Counts whatever makes something due, so that whoever lets go of the queue notices what came in between.
  news bigint not null default 0,
  -- Counts the holders: a process that was frozen and thawed finds another number and changes nothing.
  token bigint not null default 0,
  leased_until timestamptz,
  -- First failed try since the last one that arrived.
  failing_since timestamptz
) with (fillfactor = 50);

create index subscription_queues_due on events.subscription_queues (due_at) where due_at is not null;

create sequence events.delivery_positions as bigint;

-- One event for one subscription. The id is derived from both, and is the webhook-id of every try.
create table events.deliveries (
  id uuid not null,
  subscription_id uuid not null,
  -- Order of the log.
  position bigint not null default nextval('events.delivery_positions'),
  event_id text not null,
  event_type text not null,
  -- json, not jsonb: every try sends the same text.
  event json not null,
  status text not null default 'pending',
  tries int not null default 0,
  -- Of the first try of this round: 24 hours later it is given up.
  begun_at timestamptz not null,
  due_at timestamptz not null,
  last_status int,
  last_error text,
  created_at timestamptz not null,
  delivered_at timestamptz,
  primary key (id)
) partition by range (id);

create index deliveries_due on events.deliveries (subscription_id, due_at, position) where status = 'pending';
create index deliveries_order on events.deliveries (subscription_id, position) where status = 'pending';
create index deliveries_list on events.deliveries (subscription_id, id);
create index deliveries_dead on events.deliveries (subscription_id, id) where status = 'dead';

create table events.deliveries_default partition of events.deliveries default;

-- Every try with what was sent and answered, at most 2 KB each and without secrets.
create table events.delivery_tries (
  id uuid not null,
  delivery_id uuid not null,
  at timestamptz not null,
  duration_ms int not null,
  outcome text not null,
  status int,
  error text,
  request text not null,
  response text,
  primary key (id)
) partition by range (id);

create index delivery_tries_delivery on events.delivery_tries (delivery_id, id);

create table events.delivery_tries_default partition of events.delivery_tries default;

-- Stretches of the log that are delivered again, batch by batch.
create table events.subscription_replays (
  id uuid primary key,
  subscription_id uuid not null references events.subscriptions (id) on delete cascade,
  -- An event, inclusive, or an instant.
  from_event text,
  from_at timestamptz,
  to_at timestamptz not null,
  -- The last event that was looked at.
  cursor_event text,
  looked_at int not null default 0,
  created_at timestamptz not null
);

create unique index subscription_replays_subscription on events.subscription_replays (subscription_id);
