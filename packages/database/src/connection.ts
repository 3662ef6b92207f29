import { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'

/** A pg client whose socket can be cut, because a frozen server never responds to a goodbye. */
export class Connection extends Client {
  readonly #socket: Socket
  /** Names of the statements that the server keeps prepared for this connection. */
  readonly prepared = new Set<string>()

  constructor(config: ClientConfig = {}) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    this.#socket = socket
    // A lost connection fails the statements that wait on it; the event itself must not end the process.
    this.on('error', () => undefined)
  }

  /** The process of the server, as the server named it when it took the connection; a pooler makes the number up. */
  get serverProcess(): unknown {
    return 'processID' in this ? this.processID : undefined
  }

  /** True when nothing can be sent on it any more. */
  get isCut(): boolean {
    return this.#socket.destroyed
  }

  /** Ends the connection now; statements on their way are rejected. */
  cut(): void {
    this.#socket.destroy()
  }
}

/** Opens a connection outside the pool, cut again when the server doesn't take it. */
export async function openConnection(config: ClientConfig): Promise<Connection> {
  const connection = new Connection(config)
  try {
    await connection.connect()
    return connection
  } catch (error) {
    connection.cut()
    throw error
  }
}
