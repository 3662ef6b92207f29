import type { IncomingMessage } from 'node:http'
import type { CallingRun, Principal } from '@platform/auth'
import type { Logger } from '@platform/logging'

/** What is known of a request beside its bytes. Set once, before any route runs. */
export interface RequestState {
  readonly correlationId: string
  /** Address of the client as the gateway saw it. */
  readonly clientIp: string
  readonly startedAt: number
  readonly log: Logger
  principal: Principal | undefined
  /** Of a service: the run that the request comes from. */
  calling?: CallingRun | undefined
  /** Pattern of the route that answered, for metrics and the log line. */
  route: string | undefined
  /** Unix milliseconds after which the response is of no use any more. */
  deadlineAt: number
}

const key = Symbol('request state')

type Carrier = IncomingMessage & { [key]?: RequestState }

export const setRequestState = (request: IncomingMessage, state: RequestState): void => {
  ;(request as Carrier)[key] = state
}

/** The state of a request. Throws when the listener in front forgot to set it. */
export function requestState(request: IncomingMessage): RequestState {
  const state = (request as Carrier)[key]
  if (state === undefined) throw new Error('The request has no state: setRequestState must run first.')
  return state
}
