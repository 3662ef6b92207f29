import type { ServerResponse } from 'node:http'
import type { Principal } from '@platform/auth'
import { eventStream, type QueryOf, streamEvents as stream, tailEvents as tail } from '@platform/contracts'
import { type RouteInput, type RouteResponse, respond, route } from '@platform/http'
import { Failure, isUuid } from '@platform/kernel'
import { feedFilter } from '../event-log/event-filter.ts'
import { EventWriter } from './event-writer.ts'
import type { Live } from './live.ts'
import { endPosition, resumePosition } from './stream-position.ts'

/** What a client is sent first: when to come back, and behind which event even if no event comes meanwhile. */
const hello = (id: string): string => `retry: 1000\nid: ${id}\n: connected\n\n`

interface Deps {
  live: Live
}

/** The events of a workspace as they happen, or from where an earlier stream has ended. */
export const streamEvents = (deps: Deps) => route(stream, { handle: (input) => openStream(deps, input) })

/** The events of any workspace as they happen, for those who operate the platform. */
export const tailEvents = (deps: Deps) => route(tail, { handle: (input) => openStream(deps, input) })

type StreamRequest = Pick<
  RouteInput<typeof stream, Principal>,
  'query' | 'principal' | 'request' | 'admitted'
>

/** What the stream of a workspace and that of operators have in common. */
async function openStream(
  { live }: Deps,
  { query, principal, request, admitted: admission }: StreamRequest,
): Promise<RouteResponse> {
  const filter = filterOf(query)
  const lastEventId = lastEventIdOf(request.headers['last-event-id'], query.lastEventId)

  live.readers.requireRoom(admission.workspace.id, filter, 'query')
  if (live.readers.isClosed) return comeBack()
  const logStream = eventStream(admission.workspace.id)
  const { id, from } = await (lastEventId === undefined
    ? endPosition(live.log, logStream)
    : resumePosition(live.log, logStream, lastEventId))

  return eventStreamResponse((response) => {
    response.write(hello(id))
    const reader = live.newStream(
      { principal, admission, filter },
      { types: typesOf(query.types), isUnnamed: query.format === 'message' },
    )
    response.once('close', () => reader.end(undefined))
    reader.begin(new EventWriter(response), from)
  })
}

const eventStreamResponse = (stream: (response: ServerResponse) => void) =>
  respond(undefined, {
    contentType: 'text/event-stream; charset=utf-8',
    headers: { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
    stream,
  })

/** An error would end an EventSource for good; an empty stream makes it come back, to an instance that stays. */
const comeBack = () => eventStreamResponse((response) => void response.end('retry: 1000\n\n'))

/** The same filters as the feed's; the paging of the feed means nothing here. */
function filterOf(query: QueryOf<typeof stream>) {
  const { lastEventId: _, format: __, ...filters } = query
  return feedFilter(filters as unknown as Parameters<typeof feedFilter>[0])
}

/** The types that are named; undefined where one is a pattern, or none is named. */
function typesOf(types: string | undefined): ReadonlySet<string> | undefined {
  const named = types?.split(',').map((type) => type.trim()) ?? []
  const given = named.filter((type) => type !== '')
  return given.length === 0 || given.some((type) => type.includes('*')) ? undefined : new Set(given)
}

/** The header is what an EventSource sends by itself; the query is for the first time. */
function lastEventIdOf(header: string | string[] | undefined, query: string | undefined): string | undefined {
  const given = header === undefined || header === '' ? query : header
  if (given === undefined || (typeof given === 'string' && isUuid(given) && given[14] === '7')) return given
  throw new Failure('RequestValidationError', 'Last-Event-ID must be the id of an event.')
}
