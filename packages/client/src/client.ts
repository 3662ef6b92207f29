import type { Endpoint, EventRecord, ResponseOf, streamEvents } from '@platform/contracts'
import type { z } from 'zod'
import { ApiError } from './api-error.ts'
import { type EventStreamMessage, readEventStream } from './event-stream.ts'
import { type CallInput, prepareCall } from './prepare-call.ts'

/** Who calls, and where. */
export interface ClientOptions {
  /** Address of the platform, with or without `/v2`. A page that the platform serves may leave it out. */
  baseUrl?: string
  /** Access token, API key of a workspace or JWT; a function is asked before each call. */
  token?: string | (() => string | Promise<string>)
  /**
   * The session of a person, instead of a token: `true` in a browser, which has the cookie itself; a program gives the
   * text of the header.
   */
  cookie?: true | string
  /** With a cookie: proves for changes that no other page made them. `GET /v2/me` answers it in a header. */
  csrfToken?: string
  /** Go with every call. */
  headers?: Record<string, string>
  /** Ends every call when it aborts. */
  signal?: AbortSignal
  /** Another `fetch`, for example one that tries again: the client does nothing twice by itself. */
  fetch?: typeof fetch
}

/** Any operation of the contracts whose response is JSON. */
type AnyEndpoint = Endpoint<string, z.ZodType, z.ZodType, z.ZodType>
type EventStreamEndpoint = Pick<typeof streamEvents, keyof typeof streamEvents>

export interface Client {
  /** Calls an operation by its contract. Rejects with ApiError, with the reason of a signal, or as `fetch` does. */
  <E extends AnyEndpoint>(contract: E, input?: CallInput<E>): Promise<ResponseOf<E>>
  /** The same; the response is the caller's to read, for bytes and headers. Rejects with ApiError below. */
  open<E extends AnyEndpoint>(contract: E, input?: CallInput<E>): Promise<Response>
  /**
   * Follows an event stream until it ends or the signal aborts. Where it ended, `lastEventId` of the query goes on
   * without gap or duplicate. Leaving the loop closes the stream.
   */
  events(
    contract: EventStreamEndpoint,
    input?: CallInput<EventStreamEndpoint>,
  ): AsyncGenerator<EventStreamMessage<EventRecord>, void, undefined>
}

/** A client of the API, typed by the contracts. */
export function createClient(options: ClientOptions = {}): Client {
  const base = (options.baseUrl ?? '').replace(/\/(v2\/?)?$/, '')
  const send = options.fetch ?? fetch

  async function open<E extends AnyEndpoint>(contract: E, input: CallInput<E> = {}): Promise<Response> {
    const call = prepareCall(contract, input)
    const signals = [options.signal, input.signal].filter((signal) => signal !== undefined)
    const response = await send(base + call.target, {
      method: call.method,
      body: call.body,
      headers: { ...(await credentialsOf(options)), ...options.headers, ...call.headers },
      // Cookies go only where they are wanted: with a token they would be a second identity.
      credentials: options.cookie === true ? 'include' : 'omit',
      ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
    })
    if (!response.ok) throw await ApiError.of(response)
    return response
  }

  const call = async <E extends AnyEndpoint>(contract: E, input?: CallInput<E>): Promise<ResponseOf<E>> => {
    const response = await open(contract, input)
    const text = await response.text()
    return (text === '' ? undefined : JSON.parse(text)) as ResponseOf<E>
  }

  async function* events(contract: EventStreamEndpoint, input: CallInput<EventStreamEndpoint> = {}) {
    const { body } = await open(contract as unknown as AnyEndpoint, input as CallInput<AnyEndpoint>)
    if (body !== null) yield* readEventStream<EventRecord>(body)
  }

  return Object.assign(call, { open, events })
}

async function credentialsOf({ token, cookie, csrfToken }: ClientOptions): Promise<Record<string, string>> {
  const bearer = typeof token === 'function' ? await token() : token
  return {
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...(typeof cookie === 'string' ? { cookie } : {}),
    ...(csrfToken === undefined ? {} : { 'x-platform-csrf-token': csrfToken }),
  }
}
