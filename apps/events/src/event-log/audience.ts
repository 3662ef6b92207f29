import type { Principal } from '@platform/auth'
import type { EventRecord } from '@platform/contracts'
import { AskedDocument, compileFilter, type Filter } from '@platform/search'

/** A user, a session and a topic are an audience as soon as one of them is named; a socket, when the event says so. */
const named: readonly string[] = ['target.userId', 'target.sessionId', 'target.userTopic']

/** What answers the socket it was caused through, and nobody else. */
const answersSocket: Filter = { path: 'target.currentSocket', in: [true] }

/**
 * Events that are for everybody who reads the workspace. What acts for the workspace and not for a user is given
 * these alone: API keys and webhooks, whoever has made them.
 */
const withoutAudience: Filter = {
  any: [
    // Most events have no target at all: nothing more is asked about them.
    { path: 'target', missing: true },
    { all: [...named.map((path): Filter => ({ path, missing: true })), { not: answersSocket }] },
  ],
}

const isForEverybody = compileFilter(withoutAudience)

export const hasAudience = (event: Pick<EventRecord, 'target'>): boolean =>
  !isForEverybody(new AskedDocument(event))

/**
 * Events that are for a caller as far as their audience goes (reference events 3.1, permissions 4.5): for everybody,
 * for this user, this session or this socket, or emitted by this user. Topics have no members yet, so that what names
 * only one is left to owners.
 */
export const audienceOf = (principal: Principal, socketId?: string): Filter => ({
  any: [withoutAudience, ...ofUser(principal), ...ofSocket(socketId)],
})

function ofUser(principal: Principal): Filter[] {
  if (principal.kind !== 'user') return []
  const { userId, sessionId } = principal
  return [
    { path: 'target.userId', in: [userId] },
    { path: 'target.sessionId', in: [sessionId] },
    { path: 'source.userId', in: [userId] },
  ]
}

const ofSocket = (socketId: string | undefined): Filter[] =>
  socketId === undefined ? [] : [{ all: [answersSocket, { path: 'source.socketId', in: [socketId] }] }]
