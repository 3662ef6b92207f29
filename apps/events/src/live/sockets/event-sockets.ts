import { hasScope, type Principal } from '@platform/auth'
import { toFailure, validate } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import type { Socket, Server as SocketServer } from 'socket.io'
import type { Live } from '../live.ts'
import type { LiveSession } from '../live-readers.ts'
import type { Reader } from '../reader.ts'
import { type EmitDeps, emitFromSocket } from './emit-from-socket.ts'
import { limitJoins, withinJoinLimit } from './limit-joins.ts'
import type { OwnCredentials, ResolveCaller } from './own-credentials.ts'
import { type Connection, callerOf, type SocketConnections } from './socket-connections.ts'
import { credentialOf, filterOf, readAuth, SocketFilters } from './socket-handshake.ts'
import { SocketReader } from './socket-reader.ts'

const NAMESPACE = /^\/v2\/workspaces\/([^/]{1,200})\/events$/

interface Deps {
  emit: EmitDeps
  connections: Pick<SocketConnections, 'joined'>
  permissions: Permissions
  live: Live
  resolve: ResolveCaller
  credentials: OwnCredentials
}

/** What is known of a socket from its opening on. */
interface Opened {
  reader: Reader
  socketReader: SocketReader
  credential: Record<string, string> | undefined
  leave: () => void
  /** Called when its own end is listened to: a connection may join and leave again and again. */
  joined: () => void
}

/** The namespace of each workspace: its events as they happen, and a way to emit. */
export function openEventSockets(io: SocketServer, deps: Deps): void {
  limitJoins(io)
  io.of('/').use((_, next) => next(new Error('Connect to /v2/workspaces/<id>/events.')))
  const opened = new WeakMap<Socket, Opened>()
  const namespaces = io.of(NAMESPACE)
  namespaces.use((socket, next) => {
    withinJoinLimit(socket, () => open(socket, deps)).then(
      (found) => {
        opened.set(socket, found)
        next()
      },
      (error: unknown) => next(refusal(error)),
    )
  })
  namespaces.on('connection', (socket) => {
    const found = opened.get(socket)
    if (found === undefined) socket.disconnect(true)
    else follow(socket, found, deps)
  })
}

async function open(socket: Socket, deps: Deps): Promise<Opened> {
  const { nsp, handshake, request } = socket
  const workspaceId = NAMESPACE.exec(nsp.name)?.[1] ?? ''
  const auth = readAuth(handshake.auth)
  const filter = filterOf(auth.filters)
  const known = callerOf(request).principal
  const credential = known === undefined ? credentialOf(auth) : undefined
  const principal = known ?? (await ownCaller(credential, workspaceId, deps.resolve))
  if (!hasScope(principal, 'events:read'))
    throw new Failure('InsufficientScope', 'The token lacks the scope events:read.')
  const admission = await deps.permissions.require(principal, 'read', {
    type: 'events',
    workspace: workspaceId,
  })
  const { tail, readers } = deps.live
  readers.requireRoom(admission.workspace.id, filter, 'auth.filters')
  const reader: Reader = { principal, admission, filter, socketId: socket.id }
  const forget = deps.live.topics.watch(reader)
  const socketReader = new SocketReader(socket, reader, () => {
    readers.cut += 1
  })
  // Joined before the client knows that it is connected: it misses nothing from then on.
  const leave = () => {
    tail.leave(socketReader)
    forget()
  }
  socket.conn.once('close', leave)
  try {
    await tail.join(socketReader)
    if (reader.topics === undefined) await deps.live.topics.load(reader)
  } catch (error) {
    leave()
    throw error
  }
  // It may have closed before anybody listened, while the caller was asked about.
  if (socket.conn.readyState !== 'open') leave()
  return { reader, socketReader, credential, leave, joined: () => void socket.conn.off('close', leave) }
}

function ownCaller(
  credential: Record<string, string> | undefined,
  workspaceId: string,
  resolve: ResolveCaller,
): Promise<Principal> {
  if (credential !== undefined) return resolve(credential, workspaceId)
  throw new Failure(
    'AuthenticationError',
    'Send a credential: as a header, a cookie or in auth.extraHeaders.',
  )
}

function follow(
  socket: Socket,
  { reader, socketReader, credential, leave, joined }: Opened,
  deps: Deps,
): void {
  const { live, connections } = deps
  connections.joined(socket.conn as unknown as Connection)
  const { readers } = live
  const refuse = () => {
    sendError(
      socket,
      new Failure('ForbiddenError', 'You may not read the events of this workspace any more.'),
    )
    socket.disconnect(true)
  }
  const session = { reader, refuse }
  const release = deps.credentials.watch(credential, reader.admission.workspace.id, refuse)
  readers.add(session)
  socket.once('disconnect', () => {
    leave()
    readers.remove(session)
    release()
  })
  joined()
  socketReader.begin()
  listenTo(socket, session, deps)
}

function listenTo(socket: Socket, session: LiveSession, deps: Deps): void {
  const { reader } = session
  const emit = emitFromSocket(deps.emit)
  socket.on('event', (input: unknown, acknowledge?: unknown) => {
    const emitter = {
      principal: reader.principal,
      workspaceId: reader.admission.workspace.id,
      socketId: socket.id,
      ip: callerOf(socket.request).ip,
    }
    emit(emitter, input).then(
      (result) => respond(acknowledge, { result }),
      (error: unknown) => {
        sendError(socket, error)
        respond(acknowledge, toFailure(error).toJSON())
      },
    )
  })
  socket.on('filters', (filters: unknown, acknowledge?: unknown) => {
    try {
      const wanted = filterOf(validate(SocketFilters, filters ?? {}, 'body'))
      deps.live.readers.refilter(session, wanted, 'filters')
      respond(acknowledge, { result: true })
    } catch (error) {
      sendError(socket, error)
      respond(acknowledge, toFailure(error).toJSON())
    }
  })
}

const sendError = (socket: Socket, error: unknown): boolean => socket.emit('error', toFailure(error).toJSON())

function respond(acknowledge: unknown, value: unknown): void {
  if (typeof acknowledge === 'function') acknowledge(value)
}

/** socket.io sends a client the message and `data` of what a middleware refuses with. */
function refusal(error: unknown): Error {
  const failure = toFailure(error)
  return Object.assign(new Error(failure.message), { data: failure.toJSON() })
}
