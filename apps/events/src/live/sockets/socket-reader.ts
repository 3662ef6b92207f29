import type { EventRecord } from '@platform/contracts'
import type { Socket } from 'socket.io'
import type { LiveEvent } from '../live-event.ts'
import { mayWant, type Reader, wants } from '../reader.ts'
import type { TailReader } from '../rooms.ts'

/** What may wait for one socket; who takes less is cut. */
const BUFFER_EVENTS = 1000
const BUFFER_CHARACTERS = 1_000_000

/** Names that are socket.io's own; an event of such a type comes as `event`. */
const reserved: ReadonlySet<string> = new Set([
  'connect',
  'connect_error',
  'disconnect',
  'disconnecting',
  'newListener',
  'removeListener',
])

/** What waits in engine.io for a client. */
interface Connection {
  writeBuffer: readonly unknown[]
}

/** One socket and the filters it has now. */
export class SocketReader implements TailReader {
  readonly workspaceId: string
  readonly types = undefined
  readonly reader: Reader
  readonly #socket: Socket
  readonly #onCut: () => void
  #after = 0
  #waiting = 0
  /** What comes while the socket is being opened; undefined from then on. */
  #buffered: LiveEvent[] | undefined = []

  constructor(socket: Socket, reader: Reader, onCut: () => void) {
    this.#socket = socket
    this.reader = reader
    this.workspaceId = reader.admission.workspace.id
    this.#onCut = onCut
  }

  take(event: LiveEvent): boolean {
    const { record, sequence, asked } = event
    if (sequence !== undefined && sequence <= this.#after) return false
    this.#after = sequence ?? this.#after
    if (!mayWant(this.reader, record, asked)) return false
    if (this.#buffered !== undefined && this.#buffered.length < BUFFER_EVENTS) this.#buffered.push(event)
    else if (wants(this.reader, record, asked)) this.#send(record)
    else return false
    return true
  }

  /** The client knows that it is connected: what came meanwhile is sent. */
  begin(): void {
    const buffered = this.#buffered ?? []
    this.#buffered = undefined
    for (const { record, asked } of buffered) if (wants(this.reader, record, asked)) this.#send(record)
  }

  #send(record: EventRecord): void {
    if (!this.#hasRoom(record.size)) {
      this.#onCut()
      this.#socket.conn.close()
      return
    }
    this.#socket.emit(reserved.has(record.type) ? 'event' : record.type, record)
  }

  #hasRoom(size: number): boolean {
    const { writeBuffer } = this.#socket.conn as unknown as Connection
    this.#waiting = writeBuffer.length === 0 ? size : this.#waiting + size
    if (writeBuffer.length === 0) return true
    return writeBuffer.length < BUFFER_EVENTS && this.#waiting <= BUFFER_CHARACTERS
  }
}
