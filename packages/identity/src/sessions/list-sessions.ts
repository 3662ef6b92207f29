import { listSessions as endpoint } from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import Bowser from 'bowser'
import type { SessionRecord, SessionStore } from './session-store.ts'

export const listSessions = (deps: { records: Pick<SessionStore, 'listLive'>; clock: Clock }) =>
  route(endpoint, {
    async handle({ query: { page, limit }, principal, request }) {
      // One more than asked for tells whether there is a next page.
      const range = { offset: page * limit, limit: limit + 1 }
      const found = await deps.records.listLive(principal.userId, deps.clock.now(), range)

      const headers = found.length > limit ? { link: nextPage(request.url, page) } : {}
      const listed = found.slice(0, limit).map((record) => toListed(record, principal.sessionId))
      return respond(listed, { headers })
    },
  })

const toListed = (record: SessionRecord, currentId: string) => ({
  id: record.sessionId,
  current: record.sessionId === currentId,
  clientId: record.clientId,
  ...(record.clientName === null ? {} : { clientName: record.clientName }),
  device: deviceOf(record.userAgent),
  ip: record.ip,
  createdAt: record.createdAt.toISOString(),
  lastUsedAt: record.lastUsedAt?.toISOString() ?? null,
  expiresAt: record.expiresAt.toISOString(),
})

/** Browser and system in words, of a User-Agent header: "Firefox on Linux". What can't be told is left out. */
export function deviceOf(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return UNKNOWN
  const { browser, os } = Bowser.parse(userAgent)
  const parts = [browser.name, os.name].filter((name) => name !== undefined && name !== '')
  return parts.join(' on ') || programOf(userAgent)
}

const UNKNOWN = 'Unknown device'

/** Programs name themselves as `curl/8.5.0`. */
const programOf = (userAgent: string): string => /^[\w.-]{1,40}(?=\/|$)/.exec(userAgent)?.[0] ?? UNKNOWN
