import type { EventRecord } from '@platform/contracts'
import { beforeAbort } from '@platform/kernel'
import { tracer } from '@platform/tracing'
import { headers, type MsgHdrs, type StreamInfo } from 'nats'
import { ANOTHER_INSTALLATION, BrokerError, type KnownInstallation } from '../broker.ts'
import { originOf, rememberTraces, TRACE_HEADER, traceOf } from '../traces.ts'
import { isNotFound, type Link, toNatsFailure, type Up } from './link.ts'
import { installationIn, remakeStream, repairStream, streamConfig } from './stream-config.ts'

const ANSWER_MS = 3000
const PUBLISH_MS = 5000
/** How many messages are on their way at once. */
const WINDOW = 256

/** The stream of events in NATS; made, and made again, whenever it is missing. */
export class EventStream {
  readonly name: string
  readonly #link: Link
  readonly #subjects: string

  readonly #installation: KnownInstallation | undefined

  constructor(link: Link, namespace: string, installation?: KnownInstallation) {
    this.name = `${namespace}_events`
    this.#link = link
    this.#installation = installation
    this.#subjects = `${namespace}.events`
  }

  /** What the server says about the stream, which is there afterwards. */
  async ensure(): Promise<StreamInfo> {
    return await this.use(async ({ nc }) => {
      const manager = await nc.jetstreamManager({ checkAPI: false, timeout: ANSWER_MS })
      const wanted = this.#wanted()
      try {
        const info = await manager.streams.info(this.name)
        this.#refuseOther(info.config.description)
        return await repairStream(manager, info, wanted)
      } catch (error) {
        if (!isNotFound(error)) throw error
        return await manager.streams.add(wanted)
      }
    })
  }

  /** The id of the event with this sequence. */
  async eventAt(sequence: number): Promise<string | undefined> {
    return await this.use(async ({ nc }) => {
      const manager = await nc.jetstreamManager({ checkAPI: false, timeout: ANSWER_MS })
      try {
        const message = await manager.streams.getMessage(this.name, { seq: sequence })
        return message.header.get('Nats-Msg-Id') || undefined
      } catch (error) {
        if (isNotFound(error)) return undefined
        throw error
      }
    })
  }

  /** Makes it anew, empty; size and replicas stay as the operators of the server chose them. */
  async remake(): Promise<void> {
    await this.use(async ({ nc }) => {
      const manager = await nc.jetstreamManager({ checkAPI: false, timeout: ANSWER_MS })
      const wanted = this.#wanted()
      try {
        const { config } = await manager.streams.info(this.name)
        await remakeStream(manager, config, wanted)
      } catch (error) {
        if (!isNotFound(error)) throw error
        await manager.streams.add(wanted)
      }
    })
  }

  /** Publishes in order, each message confirmed by itself. */
  async publish(events: readonly EventRecord[]): Promise<void> {
    rememberTraces(events)
    await this.#traced(events, () => this.#publish(events))
  }

  async #publish(events: readonly EventRecord[]): Promise<void> {
    await this.use(async ({ nc }) => {
      const client = nc.jetstream({ timeout: PUBLISH_MS })
      for (const window of windowsOf(events)) {
        const publishing = window.map((event) =>
          client.publish(this.#subjectOf(event), JSON.stringify(event), {
            msgID: event.id,
            headers: tracedHeaders(event),
            timeout: PUBLISH_MS,
          }),
        )
        const failed = (await Promise.allSettled(publishing)).find(({ status }) => status === 'rejected')
        if (failed?.status === 'rejected') throw failed.reason
      }
    })
  }

  /**
   * Publishes in order where the stream ends exactly at `afterSequence`. Each message is taken only right after the
   * one before it, so that the response to the last one confirms all.
   */
  async append(events: readonly EventRecord[], afterSequence: number): Promise<void> {
    await this.#traced(events, () => this.#append(events, afterSequence))
  }

  async #append(events: readonly EventRecord[], afterSequence: number): Promise<void> {
    await this.use(async (up) => {
      let after = afterSequence
      for (const window of windowsOf(events)) {
        await this.#appendWindow(up, window, after)
        after += window.length
      }
    })
  }

  /** Does something with the connection; every failure is a BrokerError. */
  async use<T>(work: (up: Up) => Promise<T>): Promise<T> {
    try {
      const up = await this.#link.up()
      // The client waits for responses that were lost with their connection until their time is over.
      return await beforeAbort(work(up), up.lost, connectionLost)
    } catch (error) {
      throw toNatsFailure(error, this.#link.name)
    }
  }

  /** Publishing is a part of the trace that the events come from where they have one in common. */
  async #traced(events: readonly EventRecord[], work: () => Promise<void>): Promise<void> {
    if (tracer === undefined) return await work()
    const attributes = { 'messaging.system': 'nats', 'messaging.batch.message_count': events.length }
    const options = { name: `publish ${this.name}`, kind: 'producer', attributes } as const
    const span = tracer.begin(options, originOf(events))
    await tracer.finish(span, work)
  }

  async #appendWindow({ nc }: Up, events: readonly EventRecord[], after: number): Promise<void> {
    for (const [index, event] of events.entries()) {
      const message = tracedHeaders(event)
      message.set('Nats-Msg-Id', event.id)
      message.set('Nats-Expected-Stream', this.name)
      message.set('Nats-Expected-Last-Sequence', String(after + index))
      const subject = this.#subjectOf(event)
      const text = JSON.stringify(event)
      if (index < events.length - 1) nc.publish(subject, text, { headers: message })
      else
        await nc
          .jetstream({ timeout: PUBLISH_MS })
          .publish(subject, text, { headers: message, timeout: PUBLISH_MS })
    }
  }

  #wanted() {
    return streamConfig(this.name, this.#subjects, this.#installation?.id)
  }

  #refuseOther(description: string | undefined): void {
    const other = installationIn(description)
    if (this.#installation === undefined || this.#installation.isMeant || other === undefined) return
    if (other === this.#installation.id) return
    throw new BrokerError(
      `The broker at ${this.#link.name} holds events of another database (${other}) than DATABASE_URL leads to ` +
        `(${this.#installation.id})`,
      { unavailable: true, code: ANOTHER_INSTALLATION },
    )
  }

  #subjectOf({ source }: EventRecord): string {
    return `${this.#subjects}.${(source.workspaceId ?? '_platform').replace(/[^A-Za-z0-9_-]/g, '_')}`
  }
}

const connectionLost = () => new BrokerError('The connection to the broker was lost.', { unavailable: true })

function tracedHeaders(event: EventRecord): MsgHdrs {
  const message = headers()
  const traceparent = traceOf(event)
  if (traceparent !== undefined) message.set(TRACE_HEADER, traceparent)
  return message
}

function* windowsOf(events: readonly EventRecord[]): Generator<readonly EventRecord[]> {
  for (let from = 0; from < events.length; from += WINDOW) yield events.slice(from, from + WINDOW)
}
