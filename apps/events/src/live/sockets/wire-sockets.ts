import type { Server } from 'node:http'
import type { Live } from '../live.ts'
import type { EmitDeps } from './emit-from-socket.ts'
import { openEventSockets } from './event-sockets.ts'
import { OwnCredentials, resolveCaller } from './own-credentials.ts'
import { SocketDoor } from './socket-endpoint.ts'

interface Needs extends Omit<EmitDeps, 'outboxRetentionHours'> {
  live: Live
  config: { internalApiKey: string; gatewayUrl: string; outboxRetentionHours: number }
}

/** The live stream over socket.io. */
export function wireSockets({ config, ...needs }: Needs) {
  const door = new SocketDoor(config.internalApiKey)
  const credentials = new OwnCredentials()
  const resolve = resolveCaller(config.gatewayUrl)
  const { outboxRetentionHours } = config
  openEventSockets(door.io, { ...needs, outboxRetentionHours, resolve, credentials, held: door.held })
  return {
    mounts: [door.mount()],
    jobs: [credentials.job(resolve)],
    attach: (server: Server) => door.attach(server),
    leave: () => door.leave(),
  }
}
