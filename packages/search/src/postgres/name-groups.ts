import { wordsOf } from '../words.ts'

/**
 * Names of fields that come together in nearly every event. A version before has stored one lexeme for the words of all
 * of them; what is stored now has a vocabulary instead (vocabularies.ts).
 */
const groups = [
  ['createdAt', 'source', 'payload', 'id', 'type', 'size'],
  ['correlationId', 'workspaceId', 'host', 'automationSlug', 'automationDepth'],
  ['correlationId', 'workspaceId', 'host'],
  ['sessionId', 'userId'],
  ['startedAt', 'trigger', 'duration', 'slug', 'break'],
  ['pathParams', 'query', 'headers', 'method', 'body'],
  ['content-length', 'content-type', 'x-correlation-id'],
  ['accept-encoding', 'accept', 'user-agent'],
  ['sec-fetch-mode', 'accept-language'],
].map((names, at) => ({ lexeme: `~${at + 1}`, words: names.flatMap(wordsOf) }))

/** The lexemes of the groups that have a word beginning with `prefix`. */
export const groupsWith = (prefix: string): string[] =>
  groups.filter(({ words }) => words.some((word) => word.startsWith(prefix))).map(({ lexeme }) => lexeme)
