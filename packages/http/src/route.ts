import type { IncomingHttpHeaders } from 'node:http'
import type { Admission, CallingRun, PrincipalOf } from '@platform/auth'
import type {
  BodyOf,
  CredentialRule,
  LimitName,
  ParamsOf,
  Permission,
  QueryOf,
  ResponseInputOf,
} from '@platform/contracts'
import type { Logger } from '@platform/logging'
import type { AnyEndpoint, RouteResponse } from './respond.ts'

/** What a handler may know of the request itself. */
export interface RequestInfo {
  readonly correlationId: string
  readonly clientIp: string
  readonly log: Logger
  readonly method: string
  /** Path and query as they arrived. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The run of an automation that the request comes from, if it does. */
  readonly calling: CallingRun | undefined
  /** Unix milliseconds after which the response is of no use any more. */
  readonly deadlineAt: number
  /** Aborts when the client is gone or the deadline has passed; made when first asked for. */
  readonly signal: AbortSignal
  /** Sets a header of the response, whatever becomes of the request. */
  setHeader(name: string, value: string): void
  /**
   * Takes uses (1 without) of a limit whose `per` is `handler`. Throws TooManyRequests; the response shows where
   * the caller stands.
   */
  takeLimit(name: LimitName, key: string, points?: number): Promise<void>
}

/** What the contract admits a caller with: to a workspace, where it asks a permission. */
export type AdmittedBy<E> = E extends { permission?: infer Asked }
  ? Asked extends Permission
    ? Admission
    : undefined
  : undefined

/** What a handler gets: everything parsed, nothing to check for shape again. */
export interface RouteInput<E, P = PrincipalOf<E>, A = AdmittedBy<E>> {
  readonly params: ParamsOf<E>
  readonly query: QueryOf<E>
  /** Parsed JSON, the text of an automation (`{ text, mediaType }`) or bytes, by the contract's `bodyKind`. */
  readonly body: BodyOf<E>
  readonly principal: P
  readonly request: RequestInfo
  /** The admission to the workspace of the path where the contract asks a permission, else the result of `admit`. */
  readonly admitted: A
  /** A UUIDv7, where the request carries an Idempotency-Key that is honoured: the same when it is repeated. */
  readonly onceId?: string | undefined
}

/** Text of an automation as it arrived; `bodyKind: 'automation'` handlers get it as `body`. */
export interface AutomationText {
  text: string
  mediaType: 'json' | 'yaml'
}

/** A contract with what answers it. */
export interface Route {
  readonly contract: AnyEndpoint
  readonly admit: ((input: RouteInput<AnyEndpoint, unknown, unknown>) => Promise<unknown>) | undefined
  /** Whether a keyed response is stored, for contracts that are idempotent where it is declared. */
  readonly isIdempotent: ((admitted: unknown) => boolean) | undefined
  readonly findOutcome:
    | ((input: RouteInput<AnyEndpoint, unknown, unknown>) => Promise<RouteResponse | undefined>)
    | undefined
  readonly handle: (input: RouteInput<AnyEndpoint, unknown, unknown>) => Promise<unknown>
}

const credentialRules: ReadonlySet<unknown> = new Set<CredentialRule>([
  'none',
  'optional',
  'required',
  'internal',
])

/**
 * Joins a contract and its handler. `principal` has the type that the contract admits. `admit` decides what the
 * contract can't say, in the place of its permission: before a stored response is sent again, too, and before a body
 * of bytes is read, so that it sees none.
 */
export const route = <E extends AnyEndpoint, A = AdmittedBy<E>>(
  contract: E,
  parts: {
    admit?(input: RouteInput<E>): Promise<A>
    /** For contracts whose `idempotent` is `declared`. */
    isIdempotent?(admitted: A): boolean
    /**
     * What became of the request with this `onceId`, where its response is not stored: it may go on without its
     * process. Undefined where nothing is known of it.
     */
    findOutcome?(input: RouteInput<E, PrincipalOf<E>, A>): Promise<RouteResponse | undefined>
    handle(input: RouteInput<E, PrincipalOf<E>, A>): Promise<ResponseInputOf<E> | RouteResponse>
  },
): Route => {
  if (!credentialRules.has(contract.credential))
    throw new Error(`${contract.id} does not say whether it needs a credential.`)
  if (parts.admit !== undefined && contract.permission !== undefined)
    throw new Error(`${contract.id} asks a permission: it needs no "admit" beside it.`)
  if (
    parts.admit === undefined &&
    contract.permission === undefined &&
    contract.idempotent !== undefined &&
    contract.path.includes(':workspaceId')
  )
    throw new Error(`${contract.id} repeats answers about a workspace: it needs "permission" or "admit".`)
  return {
    contract,
    admit: parts.admit as unknown as Route['admit'],
    isIdempotent: parts.isIdempotent as unknown as Route['isIdempotent'],
    findOutcome: parts.findOutcome as unknown as Route['findOutcome'],
    handle: parts.handle as unknown as Route['handle'],
  }
}
