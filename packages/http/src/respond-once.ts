import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Principal } from '@platform/auth'
import { headers as names } from '@platform/contracts'
import { Failure, withLeastBudget } from '@platform/kernel'
import { networkOf } from './connection-limit.ts'
import { type RequestState, requestState } from './request-state.ts'
import { JSON_TYPE, type PreparedResponse, toFailure } from './respond.ts'
import type { Route } from './route.ts'
import type { IdempotencyStore, KeyedRequest, KeyState, StoredResponse } from './route-services.ts'

type Contract = Route['contract']

const keyPattern = /^[\x21-\x7e]{1,255}$/
/** The end of a key is written even where the request has waited as long as it may. */
const SETTLE_MS = 300
const STORED_BYTES = 1_000_000
/** The headers of the first response that a replay shows; cookies and the like belong to one response. */
const storedHeaders = ['etag', 'location', 'link', 'cache-control', names.runId] as const

/** A request that is to happen once. */
interface Once {
  contract: Contract
  request: IncomingMessage
  /** The body as it arrived. */
  bytes: Buffer
  store: IdempotencyStore
  /** What became of the first request where its response is not stored; undefined where nobody knows. */
  findOutcome: (onceId: string) => Promise<PreparedResponse | undefined>
}

/**
 * Runs `work`, with an id of its own for this key, unless the caller's `Idempotency-Key` has been used before: then the
 * stored response is sent again.
 * Throws IdempotencyKeyReused, IdempotencyKeyInUse, AlreadyCreated, OutcomeUnknown; StoreError when
 * the key can't be claimed, and nothing ran.
 */
export async function respondOnce(
  once: Once,
  work: (onceId: string) => Promise<PreparedResponse>,
): Promise<PreparedResponse> {
  const state = requestState(once.request)
  const keyed = keyedRequest(once, state)
  const known = await once.store.begin(keyed, state.deadlineAt)
  if (known.state === 'begun') return await runOnce(once, keyed, known.owner, () => work(known.owner))
  const isOpen = known.state === 'running' || known.state === 'unknown'
  const outcome = isOpen ? await once.findOutcome(known.owner) : undefined
  return outcome === undefined ? replay(known) : replayOf(outcome)
}

function keyedRequest({ contract, request, bytes }: Once, state: RequestState): KeyedRequest {
  const key = String(request.headers['idempotency-key'])
  if (!keyPattern.test(key)) throw invalidKey('must be 1 to 255 visible ASCII characters')
  const scope = `${contract.service}:${callerOf(state)}`
  // With the key in it, the hash of a body can't be guessed from the table.
  const fingerprint = createHash('sha256')
    .update(`${scope}\n${key}\n${request.method} ${request.url}\n`)
    .update(bytes)
    .digest('hex')
  return { scope, key, fingerprint }
}

const invalidKey = (message: string) =>
  new Failure('RequestValidationError', `The header Idempotency-Key ${message}.`, {
    details: [{ path: 'headers.idempotency-key', message }],
  })

/**
 * A caller without a credential is known by the address, so that two of them don't share a key; a run by its workspace,
 * whichever instance it is done on, and never by that of whoever it acts for.
 */
function callerOf({ principal, clientIp, calling }: RequestState): string {
  if (calling !== undefined) return `run of ${calling.workspaceId} for ${nameOf(principal) ?? 'nobody'}`
  return nameOf(principal) ?? `address:${networkOf(clientIp)}`
}

function nameOf(principal: Principal | undefined): string | undefined {
  if (principal === undefined) return undefined
  if (principal.kind === 'user') return `user:${principal.userId}`
  if (principal.kind === 'workspace') return `workspace:${principal.workspaceId}`
  return principal.kind === 'apiKey' ? `apiKey:${principal.apiKeyId}` : 'platform'
}

async function runOnce(
  once: Once,
  keyed: KeyedRequest,
  owner: string,
  work: () => Promise<PreparedResponse>,
): Promise<PreparedResponse> {
  const { store, contract } = once
  const { log, correlationId }: RequestState = requestState(once.request)
  // Where the end can't be written now, the lease decides: the key ends as unknown and never runs again.
  const settle = (settled: () => Promise<void>) =>
    withLeastBudget(SETTLE_MS, settled).catch((err: unknown) =>
      log.warn({ err, correlationId }, 'the answer to a key could not be kept'),
    )
  try {
    const prepared = await work()
    const stored = storedResponse(contract, prepared)
    await settle(() =>
      stored === undefined ? store.doubt(keyed, owner) : store.keep(keyed, owner, stored, isSecret(contract)),
    )
    return prepared
  } catch (error) {
    await settle(() => (hasRefused(error) ? store.release(keyed, owner) : store.doubt(keyed, owner)))
    throw error
  }
}

const isSecret = (contract: Contract): boolean => contract.idempotent === 'secret'

/**
 * A refusal changes nothing. After a timeout, or an error in the middle of the work, that is not known.
 */
function hasRefused(error: unknown): boolean {
  const { status } = toFailure(error)
  return status < 500 && status !== 408
}

function storedResponse(contract: Contract, prepared: PreparedResponse): StoredResponse | undefined {
  const { status, body, contentType } = prepared
  if (typeof body !== 'string' || contentType !== JSON_TYPE) return undefined
  if (isSecret(contract)) return { status, headers: {}, body: prepared.createdId ?? '' }
  if (Buffer.byteLength(body) > STORED_BYTES) return undefined
  const headers: Record<string, string> = {}
  for (const name of storedHeaders) {
    const value = prepared.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  return { status, headers, body }
}

function replay(known: Exclude<KeyState, { state: 'begun' }>): PreparedResponse {
  switch (known.state) {
    case 'running':
      throw keyInUse()
    case 'unknown':
      throw new Failure(
        'OutcomeUnknown',
        'It is not known whether the first request with this Idempotency-Key was done: ' +
          'look whether it was, and use a new key if not.',
      )
    case 'other-request':
      throw new Failure(
        'IdempotencyKeyReused',
        'This Idempotency-Key was used for another request: use a new key.',
      )
    case 'answered':
      if (known.secret) throw alreadyCreated(known.answer.body)
      return replayOf({ ...known.answer, contentType: JSON_TYPE })
  }
}

/** What a repeated request is told until the first one has ended. */
export const keyInUse = (): Failure =>
  new Failure(
    'IdempotencyKeyInUse',
    'The first request with this Idempotency-Key is still running: ask again shortly.',
    { retryAfterSeconds: 1 },
  )

const replayOf = (response: Omit<PreparedResponse, 'isReplay'>): PreparedResponse => ({
  ...response,
  headers: { ...response.headers, 'idempotency-replayed': 'true' },
  isReplay: true,
})

/** The record can be found or removed by its id; its secret was shown once. */
const alreadyCreated = (id: string): Failure =>
  id === ''
    ? new Failure(
        'AlreadyCreated',
        'This was done already, and its secret is never shown twice: use a new key to do it again.',
      )
    : new Failure(
        'AlreadyCreated',
        `This was created already as ${id}, and its secret is never shown twice.`,
        {
          details: { _id: id },
        },
      )
