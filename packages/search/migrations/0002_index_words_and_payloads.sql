-- The words of a document (made by the program, see fill-words.ts for documents that are older than this column).
alter table search.documents add column words tsvector;

create index documents_words on search.documents using gin (words);
-- Equality of any field: `document @? '$.payload.order.id ? (@ == "5")'`.
create index documents_fields on search.documents using gin (document jsonb_path_ops);
-- Reading on from a sequence, whatever the stream. An expression, so that nothing that reads one stream ever goes through all of them.
create index documents_sequences on search.documents ((sequence + 0));
-- The order of a stream knows the times too: what is too new or too old is passed over without being fetched.
drop index search.documents_order;
create index documents_order on search.documents (stream, sequence, created_at);
-- What retention has still to strip, and nothing else.
create index documents_unstripped on search.documents (id)
  where type = 'runtime.automations.executed' and document->'payload' ?| array['payload', 'output'];
create index documents_wordless on search.documents (id) where words is null;
