import { createInbox, type Msg, type NatsConnection } from 'nats'
import { BrokerError } from '../broker.ts'

/** How much longer than the server a pull waits for its response. */
const GRACE_MS = 1500

/** Statuses that the server sends instead of a message. */
const HEARTBEAT = 100
const NO_MESSAGES = 404
const TIME_IS_OVER = 408

/** One question to a pull consumer. */
export interface PullRequest {
  stream: string
  consumer: string
  batch: number
  /** How long the server waits for a first message; 0 takes what is there. */
  waitMs: number
  /** Ends the waiting, also when the connection is lost. */
  ending: AbortSignal
}

/**
 * Takes up to `batch` messages of a consumer. Rejects with BrokerError when the consumer or the connection is gone.
 * Done by hand: the client's own iterators hide a lost consumer behind retries without an end.
 */
export function pull(nc: NatsConnection, request: PullRequest): Promise<Msg[]> {
  const inbox = createInbox()
  const messages: Msg[] = []
  const { promise, resolve, reject } = Promise.withResolvers<Msg[]>()
  const fail = (reason: string) =>
    reject(new BrokerError(`The consumer ${request.consumer} ${reason}.`, { unavailable: true }))
  const take = (message: Msg) => {
    messages.push(message)
    if (messages.length >= request.batch) resolve(messages)
  }
  const obey = (code: number) => {
    if (code === NO_MESSAGES || code === TIME_IS_OVER) resolve(messages)
    else if (code !== HEARTBEAT) fail(`is gone (${code})`)
  }
  const onMessage = (error: Error | null, message: Msg) => {
    if (error !== null) fail('may not be read')
    else if (message.subject === inbox) obey(message.headers?.code ?? 0)
    else take(message)
  }
  const subscription = nc.subscribe(inbox, { callback: onMessage })
  const onEnd = () => fail('was left')
  const { ending } = request
  ending.addEventListener('abort', onEnd, { once: true })
  if (ending.aborted) onEnd()
  const timer = setTimeout(() => fail('did not answer in time'), request.waitMs + GRACE_MS)
  const question = request.waitMs === 0 ? { no_wait: true } : { expires: request.waitMs * 1_000_000 }
  nc.publish(
    `$JS.API.CONSUMER.MSG.NEXT.${request.stream}.${request.consumer}`,
    JSON.stringify({ batch: request.batch, ...question }),
    { reply: inbox },
  )
  return promise.finally(() => {
    clearTimeout(timer)
    ending.removeEventListener('abort', onEnd)
    subscription.unsubscribe()
  })
}

/** The sequence of a message in its stream, as it stands in its reply subject. */
export function sequenceOf(message: Msg): number {
  const tokens = (message.reply ?? '').split('.')
  // $JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>…, since 2.9 with domain and account before the stream.
  return Number(tokens.length > 9 ? tokens[7] : tokens[5])
}
