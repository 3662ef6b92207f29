import { Socket } from 'node:net'
import { readFrames, sendFrame } from '../pool/frames.ts'
import type { FetchedHeader, FromWorker, ToWorker, WorkerOrder } from '../pool/messages.ts'

/** More than any order, with the answer of a fetch in it, has. */
const MAX_FRAME_BYTES = 64_000_000

type Fetched = { readonly header: FetchedHeader; readonly body: Buffer }

/** The worker's end of the pipe to the service; nobody else is reachable from here. */
export class ServicePipe {
  readonly #pipe = new Socket({ fd: 3, readable: true, writable: true })
  readonly #fetches = new Map<number, (fetched: Fetched) => void>()
  #lastFetch = 0

  /** The process ends with its service, whatever it is at. */
  constructor() {
    const die = () => process.kill(process.pid, 'SIGKILL')
    this.#pipe.on('close', die)
    this.#pipe.on('error', die)
  }

  listen(onOrder: (order: WorkerOrder, body: Buffer) => void): void {
    readFrames<ToWorker>(this.#pipe, MAX_FRAME_BYTES, {
      onFrame: ({ header, body }) => {
        if (header.order === 'fetched') this.#fetches.get(header.id)?.({ header, body })
        else onOrder(header, body)
      },
      onNonsense: () => process.exit(1),
    })
  }

  send(header: FromWorker, body?: string | Uint8Array): void {
    sendFrame(this.#pipe, header, body)
  }

  /** Resolves with what the service fetched. */
  fetch(asked: Omit<Extract<FromWorker, { said: 'fetch' }>, 'said' | 'id'>, body: Buffer): Promise<Fetched> {
    this.#lastFetch += 1
    const id = this.#lastFetch
    return new Promise((resolve) => {
      this.#fetches.set(id, (fetched) => {
        this.#fetches.delete(id)
        resolve(fetched)
      })
      this.send({ said: 'fetch', id, ...asked }, body)
    })
  }
}
