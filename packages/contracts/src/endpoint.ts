import type { FailureName } from '@platform/kernel'
import type { z } from 'zod'
import type { LimitName } from './rate-limits.ts'
import type { ResourceScope } from './scopes.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The services that answer requests. */
export type ServiceName = 'api-gateway' | 'workspaces' | 'runtime' | 'events'

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

/** One operation of the HTTP API: everything a caller can see of it. */
export interface Endpoint<
  Path extends string = string,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  /** Equals the name of the file that implements it. */
  id: string
  summary: string
  service: ServiceName
  method: Method | 'all'
  path: Path
  /** Absent where no credential is needed. */
  credential?: 'none' | 'optional' | 'required' | 'internal'
  /** The resource scope a JWT must carry (decisions I5). */
  scope?: ResourceScope
  query?: Query
  body?: Body
  bodyKind?: BodyKind
  response: Response
  /** Status of success; 200 unless stated (decisions A3). */
  status?: number
  failures: readonly FailureName[]
  /** Bytes a body may have; 1 MB unless stated (decisions A9). */
  bodyLimitBytes?: number
  /** Limits on how often this may be done; taken in this order, before the body is read (decisions A8). */
  limits?: readonly LimitName[]
  /**
   * A POST that creates or emits honours `Idempotency-Key` (decisions A7): `answer` keeps the answer for a replay,
   * `secret` keeps only the record's `_id`, because the answer shows what must never be shown twice. With `declared`
   * what is called says whether its answer is kept.
   */
  idempotent?: 'answer' | 'secret' | 'declared'
  /** A single resource: its answer has a strong ETag, `If-None-Match` answers 304 (decisions A6). */
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
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType = z.ZodType,
>(
  contract: Endpoint<Path, Query, Body, Response>,
): Endpoint<Path, Query, Body, Response> => contract

export type QueryOf<E> = E extends Endpoint<string, infer Q, z.ZodType, z.ZodType> ? z.output<Q> : never
export type QueryInputOf<E> = E extends Endpoint<string, infer Q, z.ZodType, z.ZodType> ? z.input<Q> : never
export type BodyOf<E> = E extends Endpoint<string, z.ZodType, infer B, z.ZodType> ? z.output<B> : never
export type BodyInputOf<E> = E extends Endpoint<string, z.ZodType, infer B, z.ZodType> ? z.input<B> : never
export type ResponseOf<E> = E extends Endpoint<string, z.ZodType, z.ZodType, infer R> ? z.output<R> : never
export type ResponseInputOf<E> =
  E extends Endpoint<string, z.ZodType, z.ZodType, infer R> ? z.input<R> : never
export type ParamsOf<E> = E extends Endpoint<infer P, z.ZodType, z.ZodType, z.ZodType> ? PathParams<P> : never
