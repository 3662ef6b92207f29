import type { Server } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import { Failure } from '@platform/kernel'
import { correlationIdOf } from './correlation.ts'
import { respondOnSocket } from './raw-response.ts'

type Take = (this: Server, socket: Socket) => void

const limits = new WeakMap<Server, number>()

/**
 * Lets one address, or one /64 of IPv6, have this many connections to the server at once; 0 is no limit, as before it
 * is called. For servers that clients reach directly: behind a proxy all of them come from its address.
 */
export const setConnectionsPerAddress = (server: Server, limit: number): void =>
  void limits.set(server, limit)

/**
 * Stands in front of Node's own taking of connections: one too many of an address is answered 429 before a byte of it
 * is read. A connection that comes back after an offer of HTTP/2 was ignored is the same connection.
 */
export function limitConnections(server: Server): void {
  const [take] = server.listeners('connection') as Take[]
  const open = new Map<string, number>()
  const known = new WeakSet<Socket>()
  if (take === undefined) throw new Error('The server takes no connections.')
  server.removeListener('connection', take)
  server.on('connection', (socket: Socket) => {
    if (!known.has(socket) && !admit(socket)) refuse(socket)
    else take.call(server, socket)
  })

  function admit(socket: Socket): boolean {
    const limit = limits.get(server) ?? 0
    if (limit === 0 || socket.remoteAddress === undefined) return true
    const address = networkOf(socket.remoteAddress)
    const count = (open.get(address) ?? 0) + 1
    if (count > limit) return false
    known.add(socket)
    open.set(address, count)
    socket.once('close', () => leave(address))
    return true
  }

  function leave(address: string): void {
    const left = (open.get(address) ?? 1) - 1
    if (left === 0) open.delete(address)
    else open.set(address, left)
  }
}

function refuse(socket: Socket): void {
  const message = 'There are too many connections from this address: use the open ones.'
  socket.on('error', () => socket.destroy())
  socket.resume()
  const failure = new Failure('TooManyRequests', message, { retryAfterSeconds: 1 })
  respondOnSocket(socket, failure, correlationIdOf(undefined, undefined))
}

/**
 * An address as limits count it: a client with one IPv6 address has all of its /64. An IPv4 address counts alone, also
 * where it is written as IPv6; anything else counts as it is.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  if (head === '' && tail?.startsWith('ffff:') && tail.includes('.')) return tail.slice('ffff:'.length)
  const groups = head.split(':').filter(Boolean)
  const rest = tail?.split(':').filter(Boolean) ?? []
  const gap = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0')
  return [...groups, ...gap, ...rest]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
