import { createConnection, type Socket } from 'node:net'
import type { ConnectionOptions, NatsConnection } from 'nats'
import { NatsConnectionImpl, setTransportFactory } from 'nats/lib/nats-base-client/internal_mod.js'
import { NodeTransport, nodeResolveHost } from 'nats/lib/src/node_transport.js'

/** What the client hands to its transports: the options it was given, and these. */
interface DialOptions extends ConnectionOptions {
  /** Aborts when the link closes. Nothing may be dialled any more then, and what is being dialled ends. */
  closing: AbortSignal
}

type Server = Parameters<NodeTransport['connect']>[0]

/**
 * The client's transport, with an end to each dial. The client's own forgets the socket of a dial that it gives up:
 * where the server answers late, that one connects beside the next, and keeps the process when everything is closed.
 * It also goes on dialling where it is closed between two dials.
 */
class DialledTransport extends NodeTransport {
  #dialled: Socket | undefined
  /** Of the link, once this is connecting. */
  #closing: AbortSignal | undefined
  readonly #end = () => void this.#dialled?.destroy()

  override async connect(server: Server, options: ConnectionOptions): Promise<void> {
    const { closing } = options as DialOptions
    closing.throwIfAborted()
    this.#closing = closing
    closing.addEventListener('abort', this.#end)
    void this.closed().then(() => closing.removeEventListener('abort', this.#end))
    await super.connect(server, options)
  }

  override dial({ hostname, port }: { hostname: string; port: number }): Promise<Socket> {
    const socket = createConnection({ port, host: hostname, noDelay: true })
    this.#dialled = socket
    return new Promise((resolve, reject) => {
      let failure: Error | undefined
      socket.on('error', (error) => {
        failure = error
      })
      socket.on('close', () => reject(failure ?? new Error('The dial was ended.')))
      socket.on('connect', () => {
        // From here on the client listens.
        socket.removeAllListeners()
        resolve(socket)
      })
    })
  }

  override async close(error?: Error): Promise<void> {
    await super.close(error)
    this.#closing?.removeEventListener('abort', this.#end)
    this.#end()
  }
}

/** Connects to the first server that answers; `closing` ends this, and every later dial of the connection. */
export function dial(options: ConnectionOptions, closing: AbortSignal): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new DialledTransport(), dnsResolveFn: nodeResolveHost })
  const withEnd: DialOptions = { ...options, closing }
  return NatsConnectionImpl.connect(withEnd)
}
