-- Lexemes that all documents of a kind have (vocabularies.ts, ADR 0094). The id is made from stream and lexemes.
create table search.vocabularies (
  id uuid primary key,
  stream text not null,
  lexemes tsvector not null,
  used_at timestamptz not null default now()
);

create index vocabularies_streams on search.vocabularies (stream);
-- For searches of all streams.
create index vocabularies_lexemes on search.vocabularies using gin (lexemes);

-- A document that has all lexemes of a vocabulary names it, and has only the others in `words`.
alter table search.documents add column vocabulary uuid;

create index documents_vocabularies on search.documents (vocabulary) where vocabulary is not null;
