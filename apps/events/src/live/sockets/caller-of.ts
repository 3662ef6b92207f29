import type { IncomingMessage } from 'node:http'
import type { Principal } from '@platform/auth'

/** Who opened a connection, as the gateway said. */
export interface SocketCaller {
  principal: Principal | undefined
  ip: string
}

const callers = new WeakMap<IncomingMessage, SocketCaller>()

export const rememberCaller = (request: IncomingMessage, caller: SocketCaller): void =>
  void callers.set(request, caller)

export const callerOf = (request: IncomingMessage): SocketCaller =>
  callers.get(request) ?? { principal: undefined, ip: '' }
