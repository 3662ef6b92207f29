import type { Logger } from '@platform/logging'
import { LiveReaders } from './live-readers.ts'
import type { Reader } from './reader.ts'
import type { ReaderTopics } from './reader-topics.ts'
import { type EndReason, StreamReader, type StreamWish } from './stream-reader.ts'
import type { LiveLog, Tail } from './tail.ts'

const HEARTBEAT_MS = 15_000

/** Everything of this process that reads live. */
export class Live implements Disposable {
  readonly log: LiveLog
  readonly tail: Tail
  readonly readers = new LiveReaders()
  readonly topics: ReaderTopics
  readonly #logger: Logger
  readonly #streams = new Set<StreamReader>()
  readonly #heartbeat = setInterval(() => {
    for (const stream of this.#streams) stream.heartbeat()
  }, HEARTBEAT_MS).unref()

  constructor(deps: { log: LiveLog; tail: Tail; topics: ReaderTopics; logger: Logger }) {
    this.log = deps.log
    this.tail = deps.tail
    this.topics = deps.topics
    this.#logger = deps.logger
  }

  /** A stream that has yet to join. */
  newStream(reader: Reader, wish?: StreamWish): StreamReader {
    const session = { reader, refuse: () => stream.end('refused') }
    const forget = this.topics.watch(reader)
    const stream = new StreamReader(reader, wish, {
      tail: this.tail,
      log: this.log,
      topics: this.topics,
      onEnd: (ended, reason) => {
        this.#streams.delete(ended)
        this.readers.remove(session)
        forget()
        this.#note(ended, reason)
      },
    })
    this.#streams.add(stream)
    this.readers.add(session)
    return stream
  }

  /** The process is leaving: clients go on elsewhere. */
  leave(): void {
    this.readers.isClosed = true
    for (const stream of [...this.#streams]) stream.end('leaving')
  }

  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat)
    this.leave()
  }

  #note({ workspaceId }: StreamReader, reason: EndReason | undefined): void {
    if (reason === 'slow') this.readers.cut += 1
    if (reason === 'slow' || reason === 'broken')
      this.#logger.warn({ workspaceId, reason }, 'a live reader was cut')
  }
}
