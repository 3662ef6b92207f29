import type { Principal } from '@platform/auth'
import type { EventRecord } from '@platform/contracts'
import type { Admission, Permissions, UserTopicStore } from '@platform/permissions'
import { AskedDocument, compileFilter, type Filter } from '@platform/search'

// Who sees which events of a workspace is decided in this file alone: feed, search, live streams and webhooks ask it.
// Usage does not: it is a number about all events, no matter who they were for.

/** How the types of security events begin: they are about the API keys of a workspace. Only owners see them. */
export const OWNERS_ONLY_PREFIX = 'apikeys.'

const noSecurityEvents: Filter = { not: { path: 'type', like: `${OWNERS_ONLY_PREFIX}*` } }

export const isForOwners = ({ type }: Pick<EventRecord, 'type'>): boolean =>
  type.startsWith(OWNERS_ONLY_PREFIX)

/** Owners, super administrators and the platform itself see every event, no matter who it is for. */
export const seesEverything = ({ role, by }: Pick<Admission, 'role' | 'by'>): boolean =>
  role === 'owner' || by === 'power'

/** A user, a session and a topic are an audience as soon as the event names one; a socket, when the event says so. */
const audiencePaths: readonly string[] = ['target.userId', 'target.sessionId', 'target.userTopic']

/** What answers the socket it was caused through, and no other reader. */
const answersSocket: Filter = { path: 'target.currentSocket', in: [true] }

/** Events that are for everybody who reads the workspace. API keys and webhooks act for no user and get these alone. */
const withoutAudience: Filter = {
  any: [
    // Most events have no target at all: nothing more is asked about them.
    { path: 'target', missing: true },
    { all: [...audiencePaths.map((path): Filter => ({ path, missing: true })), { not: answersSocket }] },
  ],
}

const isForEverybody = compileFilter(withoutAudience)

/**
 * Events that are for a caller as far as their audience goes: for everybody, for this user, this session, a topic of
 * theirs or this socket, or emitted by this user.
 */
const audienceOf = ({ principal, topics = [], socketId }: AdmittedReader): Filter => ({
  any: [withoutAudience, ...ofUser(principal), ...ofTopics(topics), ...ofSocket(socketId)],
})

const ofTopics = (topics: readonly string[]): Filter[] =>
  topics.length === 0 ? [] : [{ path: 'target.userTopic', in: [...topics] }]

const ofUser = (principal: Principal): Filter[] =>
  principal.kind === 'user'
    ? [...namedUser(principal), { path: 'source.userId', in: [principal.userId] }]
    : []

const namedUser = (principal: Principal): Filter[] =>
  principal.kind === 'user'
    ? [
        { path: 'target.userId', in: [principal.userId] },
        { path: 'target.sessionId', in: [principal.sessionId] },
      ]
    : []

const ofSocket = (socketId: string | undefined): Filter[] =>
  socketId === undefined ? [] : [{ all: [answersSocket, { path: 'source.socketId', in: [socketId] }] }]

/**
 * Events that are for a guest whom a topic of the workspace let in: what names them, their session, a topic of theirs
 * or their socket. What happens in the workspace is none of their business, not even what they have caused.
 */
const audienceOfGuest = ({ principal, topics = [], socketId }: AdmittedReader): Filter => ({
  any: [...namedUser(principal), ...ofTopics(topics), ...ofSocket(socketId)],
})

/** Everything; an empty conjunction holds. */
const everything: Filter = { all: [] }

/** A caller and what let them in. */
export interface AdmittedReader {
  principal: Principal
  admission: Pick<Admission, 'role' | 'by'>
  /** Of which they are a member. */
  topics?: readonly string[] | undefined
  /** Of a socket. */
  socketId?: string
}

/**
 * The events of a workspace that an admitted caller may read. It is part of every question to the log, so that pages
 * are never short and nothing is counted that the caller may not see.
 */
export function visibleTo(reader: AdmittedReader): Filter {
  if (seesEverything(reader.admission)) return everything
  const audience = reader.admission.by === 'topic' ? audienceOfGuest(reader) : audienceOf(reader)
  return { all: [noSecurityEvents, audience] }
}

/** A caller with the topics they are a member of, for a question to the log. */
export async function withTopics<Given extends AdmittedReader & { admission: Admission }>(
  store: Pick<UserTopicStore, 'listTopics'>,
  reader: Given,
): Promise<Given> {
  const { principal, admission } = reader
  if (principal.kind !== 'user' || seesEverything(admission)) return reader
  return { ...reader, topics: await store.listTopics(admission.workspace.id, principal.userId) }
}

/** What was asked for, as far as the caller may read it. */
export function askedAndVisible(reader: AdmittedReader, asked: Filter): Filter {
  const visible = visibleTo(reader)
  return visible === everything ? asked : { all: [asked, visible] }
}

/** False for an event that answers another socket: a socket is sent its own answers only, even an owner's socket. */
export const mayReachSocket = (socketId: string | undefined, { target, source }: EventRecord): boolean =>
  socketId === undefined || target?.currentSocket !== true || source.socketId === socketId

/** What of a subscription decides whether an event may be sent to it. */
export interface Receiving {
  workspaceId: string
  /** Who changed the subscription last. */
  updatedBy: string
  /** That was somebody who sees everything everywhere. */
  seesAll: boolean
}

/**
 * Why an event may not be sent to a subscription as it is now, undefined when it may. A subscription acts for its
 * workspace and for no user: an event with an audience goes to none. Events for owners go where an owner, as of now,
 * or a super administrator has written the address last.
 */
export async function withheldBecause(
  permissions: Pick<Permissions, 'roleOf'>,
  { seesAll, updatedBy, workspaceId }: Receiving,
  event: Pick<EventRecord, 'type' | 'target'>,
): Promise<string | undefined> {
  if (!isForEverybody(new AskedDocument(event))) return 'Not sent: the event is for single users or sockets.'
  if (!isForOwners(event) || seesAll) return undefined
  if ((await permissions.roleOf(updatedBy, workspaceId)) === 'owner') return undefined
  return (
    'Not sent: the event is for owners, and who changed the subscription last is none; ' +
    'an owner may change it and redeliver.'
  )
}

export const mayReceive = async (...asked: Parameters<typeof withheldBecause>): Promise<boolean> =>
  (await withheldBecause(...asked)) === undefined
