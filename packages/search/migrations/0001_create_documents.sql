-- The order of documents; not cached, so that the numbers of two connections keep the order in which they were drawn.
create sequence search.sequences as bigint;

-- Append-only streams of documents. The id is a UUIDv7, so a month is a range of ids.
create table search.documents (
  id uuid not null,
  sequence bigint not null default nextval('search.sequences'),
  stream text not null,
  document jsonb not null,
  -- The fields that nearly every search names; texts in all documents that have them.
  type text generated always as (document->>'type') stored,
  correlation_id text generated always as (document->'source'->>'correlationId') stored,
  created_at text collate "C" generated always as (document->>'createdAt') stored,
  primary key (id)
) partition by range (id);

create index documents_order on search.documents (stream, sequence);
create index documents_types on search.documents (stream, type, sequence);
create index documents_correlations on search.documents (correlation_id) where correlation_id is not null;

create table search.documents_default partition of search.documents default;
