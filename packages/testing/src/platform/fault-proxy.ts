import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * What the way to a server does: `pass`; `refuse` connections and reset those that are open, as a killed process
 * does; `freeze`, where connections open and nothing comes, as of a stopped process; `drop`, where not even a
 * connection opens in time; `halfOpen`, where requests arrive and answers are lost; or answers that are late by
 * milliseconds.
 */
export type Fault = 'pass' | 'refuse' | 'freeze' | 'drop' | 'halfOpen' | { lateMs: number }

/** One direction of one connection; what came while nothing may pass is kept in order and passes later. */
class Pipe {
  readonly #to: Socket
  readonly #late: { at: number; chunk: Buffer }[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(from: Socket, to: Socket, lateness: () => number) {
    this.#to = to
    from.on('data', (chunk) => {
      const lateMs = lateness()
      if (lateMs === 0 && this.#late.length === 0) to.write(chunk)
      else this.#late.push({ at: performance.now() + lateMs, chunk })
      this.#flush()
    })
    from.on('close', () => clearTimeout(this.#timer))
  }

  /** The fault is over: everything that waits passes at once. */
  heal(): void {
    for (const entry of this.#late) entry.at = 0
    this.#flush()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    for (let first = this.#late[0]; first !== undefined; first = this.#late[0]) {
      const waitMs = first.at - performance.now()
      if (waitMs > 0) {
        if (Number.isFinite(waitMs)) this.#timer = setTimeout(() => this.#flush(), waitMs)
        return
      }
      this.#late.shift()
      this.#to.write(first.chunk)
    }
  }
}

/** Stands between a client and a server on loopback and makes the network as bad as a test wants it. */
export class FaultProxy implements AsyncDisposable {
  readonly #target: number
  readonly #sockets = new Set<Socket>()
  readonly #clients = new Set<Socket>()
  readonly #pipes = new Set<Pipe>()
  #server: Server | undefined
  #port = 0
  #fault: Fault = 'pass'

  private constructor(target: number) {
    this.#target = target
  }

  /** Listens on a free port in front of `targetPort`, which may be silent still. */
  static async open(targetPort: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(targetPort)
    await proxy.#listen()
    return proxy
  }

  get port(): number {
    return this.#port
  }

  /** Clients that are connected now, whether anything passes or not. */
  get connections(): number {
    return this.#clients.size
  }

  /** The same address, through the proxy. */
  through(url: string): string {
    const through = new URL(url)
    through.hostname = '127.0.0.1'
    through.port = String(this.#port)
    return through.href
  }

  async set(fault: Fault): Promise<void> {
    const before = this.#fault
    this.#fault = fault
    if (fault === 'refuse') await this.#close()
    else if (before === 'refuse') await this.#listen()
    if (fault !== 'pass') return
    // Connections whose answers were lost can't be mended; a real network resets them too.
    if (before === 'halfOpen' || before === 'drop') this.reset()
    for (const pipe of this.#pipes) pipe.heal()
  }

  /** Cuts every connection. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close()
  }

  async #listen(): Promise<void> {
    // Paused, so that nothing is read before both sides are there.
    this.#server = createServer({ pauseOnConnect: true }, (client) => this.#take(client))
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async #close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    const closed = new Promise<void>((resolve) =>
      server === undefined ? resolve() : server.close(() => resolve()),
    )
    this.reset()
    await closed
  }

  #take(client: Socket): void {
    this.#keep(client)
    this.#clients.add(client)
    client.on('close', () => this.#clients.delete(client))
    if (this.#fault === 'drop') {
      // What comes is thrown away; it is read so that the end of the client is seen.
      client.resume()
      return
    }
    const upstream = connect(this.#target, '127.0.0.1')
    this.#keep(upstream)
    const pipes = [
      new Pipe(client, upstream, () => (this.#fault === 'freeze' ? Number.POSITIVE_INFINITY : 0)),
      new Pipe(upstream, client, () => this.#lateness()),
    ]
    for (const pipe of pipes) this.#pipes.add(pipe)
    client.on('close', () => {
      for (const pipe of pipes) this.#pipes.delete(pipe)
      upstream.destroy()
    })
    upstream.on('close', () => client.destroy())
    client.resume()
  }

  #lateness(): number {
    if (typeof this.#fault === 'object') return this.#fault.lateMs
    return this.#fault === 'freeze' || this.#fault === 'halfOpen' ? Number.POSITIVE_INFINITY : 0
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
  }
}
