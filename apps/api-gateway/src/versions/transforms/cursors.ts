import { limits } from '@platform/contracts'
import { Failure, isRecord } from '@platform/kernel'
import type { ResponseFacts } from './transform.ts'

/** v3's `cursor` as the parameter v2 has for it; `others` name a position too and can't be given beside it. */
const cursorAs =
  (parameterOf: (query: URLSearchParams) => string, others: readonly string[]) =>
  (query: URLSearchParams): URLSearchParams => {
    const [cursor, ...more] = query.getAll('cursor')
    if (cursor === undefined) return query
    if (more.length > 0) throw invalid('Give one cursor.')
    const beside = others.find((name) => query.has(name))
    if (beside !== undefined) throw invalid(`Give cursor or ${beside}, not both.`)
    const changed = new URLSearchParams(query)
    changed.delete('cursor')
    changed.set(parameterOf(query), cursor)
    return changed
  }

const invalid = (message: string) => new Failure('RequestValidationError', message)

/** Of lists that v2 counts in pages. */
export const pageQuery = cursorAs(() => 'page', ['page'])

/** Of the activity feed: a cursor is the id of the last event, and what comes after it depends on the order. */
export const eventQuery = cursorAs(
  (query) => (query.get('sort') === 'asc' ? 'afterId' : 'beforeId'),
  ['page', 'beforeId', 'afterId'],
)

/** Of the audit trail. */
export const auditQuery = cursorAs(() => 'before', ['before'])

/** Of the deliveries of a subscription. */
export const deliveriesQuery = cursorAs(() => 'beforeId', ['beforeId'])

/** An array of v2, its next page named by the Link header. */
export const pageOf = (body: unknown, { nextPage }: ResponseFacts): unknown =>
  Array.isArray(body) ? { results: body, nextCursor: nextPage ?? null } : body

/** The activity feed: full pages end with the id to go on from. */
export function eventsPageOf(body: unknown, { query }: ResponseFacts): unknown {
  const events = isRecord(body) && isRecord(body.result) ? body.result.events : undefined
  return fullPageOf(body, events, limitOf(query, limits.eventPageDefault), 'id')
}

const AUDIT_PAGE = 50

/** The audit trail: full pages end with the sequence to go on from. */
export const auditPageOf = (body: unknown, { query }: ResponseFacts): unknown =>
  fullPageOf(body, body, limitOf(query, AUDIT_PAGE), 'sequence')

/** The deliveries of a subscription: full pages end with the id to go on from. */
export const deliveriesPageOf = (body: unknown, { query }: ResponseFacts): unknown =>
  fullPageOf(body, body, limitOf(query, limits.pageDefault), 'id')

function fullPageOf(body: unknown, entries: unknown, limit: number, key: string): unknown {
  if (!Array.isArray(entries)) return body
  const last: unknown = entries.at(-1)
  const isFull = entries.length >= limit && isRecord(last)
  return { results: entries, nextCursor: isFull ? String(last[key]) : null }
}

/** People that were found; v2 says how many there are on all pages. */
export function contactsPageOf(body: unknown, { query }: ResponseFacts): unknown {
  if (!isRecord(body) || !Array.isArray(body.contacts)) return body
  const { contacts, ...rest } = body
  const next = Number(query.get('page') ?? 0) + 1
  const isLast = next * limitOf(query, limits.pageDefault) >= Number(rest.size)
  return { results: contacts, nextCursor: isLast ? null : String(next), ...rest }
}

/** Runs have a cursor of their own in v2. */
export function runsPageOf(body: unknown): unknown {
  if (!isRecord(body) || !Array.isArray(body.runs)) return body
  const { runs, ...rest } = body
  return { results: runs, ...rest }
}

const limitOf = (query: URLSearchParams, otherwise: number): number => Number(query.get('limit') ?? otherwise)
