import type { FailureName } from '@platform/kernel'
import type { z } from 'zod'
import type { LimitName } from './rate-limits.ts'
import type { ResourceScope, rightActions, rightSubjects } from './rights.ts'
import type { ServiceName } from './services.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** How a body arrives: strict JSON, an automation (JSON or YAML text), or any bytes (URL triggers). */
export type BodyKind = 'json' | 'automation' | 'bytes'

/** The names behind `:` and `*` of a path, for example `workspaceId`. */
export type PathParams<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? PathParams<Head> & PathParams<Tail>
  : Path extends `:${infer Name}`
    ? { [K in Name]: string }
    : Path extends `*${infer Name}`
      ? { [K in Name]: string }
      : unknown

/**
 * An answer beside the usual one, as JSON or as another media type; where failures have the same status, either is
 * possible.
 */
export interface OtherAnswer {
  status: number
  summary: string
  response?: z.ZodType
  mediaType?: string
}

/**
 * Whether a credential is needed. `none` and `optional` take callers without one (with `optional` it matters who calls;
 * a bad credential is refused everywhere); `internal` takes the internal key of the platform alone.
 */
export type CredentialRule = 'none' | 'optional' | 'required' | 'internal'

/**
 * Whom a required credential must stand for: `any` caller, API keys and the internal key included; a `user`, be it a
 * guest or a client that acts for itself; a `person`, guests included; a person with an `account`; a `superAdmin`, or
 * the internal key.
 */
export type CallerRule = 'any' | 'user' | 'person' | 'account' | 'superAdmin'

/** A question about rights: an action on a kind of thing. */
export interface Permission {
  action: (typeof rightActions)[number]
  on: (typeof rightSubjects)[number]
}

/** Who may call an operation, as far as the credential alone decides it; the gateway and the service read the same. */
export interface AccessRule<
  Credential extends CredentialRule = CredentialRule,
  Caller extends CallerRule = CallerRule,
  Asked extends Permission | undefined = Permission | undefined,
> {
  credential: Credential
  /** `any` unless stated. */
  caller?: Caller
  /** The resource scope that the token of a user must carry. */
  scope?: ResourceScope
  /** For people who signed in: access tokens are refused. */
  interactive?: true
  /**
   * Whether applications that are not the platform's own may call it for their users. Without a word they may where a
   * scope says what their users agreed to, unless it is interactive.
   */
  thirdParty?: boolean
  /** Takes calls from everywhere: a cookie alone signs nobody in, whatever the method. */
  receiver?: true
  /** Answered under any load: whether the platform is up, and what takes rights away. */
  shedExempt?: true
  /** What the caller must be allowed to do in the workspace of the path; asked before the handler begins. */
  permission?: Asked
}

/** One operation of the HTTP API: everything a caller can see of it. */
export interface Endpoint<
  Path extends string = string,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Credential extends CredentialRule = CredentialRule,
  Caller extends CallerRule = CallerRule,
  Asked extends Permission | undefined = Permission | undefined,
> extends AccessRule<Credential, Caller, Asked> {
  /** Equals the name of the file that implements it. */
  id: string
  summary: string
  service: ServiceName
  method: Method | 'all'
  path: Path
  query?: Query
  body?: Body
  bodyKind?: BodyKind
  response: Response
  /** Status of success; 200 unless stated. */
  status?: number
  failures: readonly FailureName[]
  /** Bytes a body may have; 1 MB unless stated. */
  bodyLimitBytes?: number
  /** Limits on how often this may be done; taken in this order, before the body is read. */
  limits?: readonly LimitName[]
  /**
   * A POST that creates or emits honours `Idempotency-Key`: `answer` keeps the answer for a replay,
   * `secret` keeps only the record's `_id`, because the answer shows what must never be shown twice. With `declared`
   * what is called says whether its answer is kept.
   */
  idempotent?: 'answer' | 'secret' | 'declared'
  /** A single resource: its answer has a strong ETag, `If-None-Match` answers 304. */
  etag?: boolean
  /**
   * Media types of the body that is answered; application/json unless stated, none where there is no body, as with
   * redirects.
   */
  mediaTypes?: readonly string[]
  /** Media types of a body of bytes; any unless stated. */
  bodyMediaTypes?: readonly string[]
  /**
   * Answers beside the usual one and the failures, for example a redirect. With neither `response` nor `mediaType`
   * they have no body.
   */
  otherAnswers?: readonly OtherAnswer[]
  /** Told with the 405 of another method at this path: what to do instead, in a sentence. */
  otherMethods?: string
  /** A worked example, shown in the API description. */
  example?: { request?: unknown; response?: unknown }
}

/** Declares an operation. Callers, routes, tests and the OpenAPI document all read this one value. */
export const endpoint = <
  const Path extends string,
  const Credential extends CredentialRule,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType = z.ZodType,
  const Caller extends CallerRule = 'any',
  const Asked extends Permission | undefined = undefined,
>(
  contract: Endpoint<Path, Query, Body, Response, Credential, Caller, Asked>,
): Endpoint<Path, Query, Body, Response, Credential, Caller, Asked> => contract

/** Whether applications that are not the platform's own may call an operation for their users. */
export const admitsThirdParties = ({ thirdParty, scope, interactive }: AccessRule): boolean =>
  thirdParty ?? (scope !== undefined && interactive !== true)

export type QueryOf<E> = E extends Endpoint<string, infer Q, z.ZodType, z.ZodType> ? z.output<Q> : never
export type QueryInputOf<E> = E extends Endpoint<string, infer Q, z.ZodType, z.ZodType> ? z.input<Q> : never
export type BodyOf<E> = E extends Endpoint<string, z.ZodType, infer B, z.ZodType> ? z.output<B> : never
export type BodyInputOf<E> = E extends Endpoint<string, z.ZodType, infer B, z.ZodType> ? z.input<B> : never
export type ResponseOf<E> = E extends Endpoint<string, z.ZodType, z.ZodType, infer R> ? z.output<R> : never
export type ResponseInputOf<E> =
  E extends Endpoint<string, z.ZodType, z.ZodType, infer R> ? z.input<R> : never
export type ParamsOf<E> = E extends Endpoint<infer P, z.ZodType, z.ZodType, z.ZodType> ? PathParams<P> : never
