import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Principal } from '@platform/auth'
import { Failure, withLeastBudget } from '@platform/kernel'
import type { IdempotencyStore, KeptAnswer, KeyedRequest, KeyState } from './idempotency-store.ts'
import { networkOf } from './network-of.ts'
import { JSON_TYPE, type Prepared } from './prepared.ts'
import { type RequestState, requestState } from './request-state.ts'
import { toFailure } from './respond.ts'
import type { Route } from './route.ts'

type Contract = Route['contract']

const keyPattern = /^[\x21-\x7e]{1,255}$/
/** What becomes of a key is written even where the request has waited as long as it may. */
const SETTLE_MS = 300
const KEPT_BYTES = 1_000_000
/** What a replay shows of the first answer's headers; cookies and the like belong to one answer. */
const keptHeaders = ['etag', 'location', 'link', 'cache-control'] as const

/** A request that is to happen once. */
interface Once {
  contract: Contract
  request: IncomingMessage
  /** The body as it arrived. */
  bytes: Buffer
  store: IdempotencyStore
}

/**
 * Runs `work` unless the caller's `Idempotency-Key` has been used before: then the kept answer is given again
 * (decisions A7). Throws IdempotencyKeyReused, IdempotencyKeyInUse, AlreadyCreated, OutcomeUnknown; StoreError when
 * the key can't be claimed, and nothing ran.
 */
export async function answerOnce(once: Once, work: () => Promise<Prepared>): Promise<Prepared> {
  const state = requestState(once.request)
  const keyed = keyedRequest(once, state)
  const known = await once.store.begin(keyed, state.deadlineAt)
  return known.state === 'begun' ? runOnce(once, keyed, known.owner, work) : replay(known)
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

/** Who has no credential is known by the address: what others do under the same key says nothing of them. */
function callerOf({ principal, clientIp }: { principal: Principal | undefined; clientIp: string }): string {
  if (principal === undefined) return `address:${networkOf(clientIp)}`
  if (principal.kind === 'user') return `user:${principal.userId}`
  return principal.kind === 'apiKey' ? `apiKey:${principal.apiKeyId}` : 'platform'
}

async function runOnce(
  once: Once,
  keyed: KeyedRequest,
  owner: string,
  work: () => Promise<Prepared>,
): Promise<Prepared> {
  const { store, contract } = once
  const { log, correlationId }: RequestState = requestState(once.request)
  // What can't be written now is decided by the lease: the key ends as unknown and never runs again.
  const settle = (settled: () => Promise<void>) =>
    withLeastBudget(SETTLE_MS, settled).catch((err: unknown) =>
      log.warn({ err, correlationId }, 'the answer to a key could not be kept'),
    )
  try {
    const prepared = await work()
    const kept = keptAnswer(contract, prepared)
    await settle(() =>
      kept === undefined ? store.doubt(keyed, owner) : store.keep(keyed, owner, kept, isSecret(contract)),
    )
    return prepared
  } catch (error) {
    await settle(() => (hasRefused(error) ? store.release(keyed, owner) : store.doubt(keyed, owner)))
    throw error
  }
}

const isSecret = (contract: Contract): boolean => contract.idempotent === 'secret'

/**
 * A refusal changes nothing. Whoever gave up waiting, and who met an error in the middle, can't say that of the work.
 */
function hasRefused(error: unknown): boolean {
  const { status } = toFailure(error)
  return status < 500 && status !== 408
}

function keptAnswer(contract: Contract, prepared: Prepared): KeptAnswer | undefined {
  const { status, body, contentType } = prepared
  if (typeof body !== 'string' || contentType !== JSON_TYPE) return undefined
  if (isSecret(contract)) return { status, headers: {}, body: prepared.createdId ?? '' }
  if (Buffer.byteLength(body) > KEPT_BYTES) return undefined
  const headers: Record<string, string> = {}
  for (const name of keptHeaders) {
    const value = prepared.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  return { status, headers, body }
}

function replay(known: Exclude<KeyState, { state: 'begun' }>): Prepared {
  switch (known.state) {
    case 'running':
      throw new Failure(
        'IdempotencyKeyInUse',
        'The first request with this Idempotency-Key is still running: ask again shortly.',
        { retryAfterSeconds: 1 },
      )
    case 'unknown':
      throw new Failure(
        'OutcomeUnknown',
        'It is not known whether the first request with this Idempotency-Key was done: look whether it was, and use a new key if not.',
      )
    case 'other-request':
      throw new Failure(
        'IdempotencyKeyReused',
        'This Idempotency-Key was used for another request: use a new key.',
      )
    case 'answered':
      if (known.secret) throw alreadyCreated(known.answer.body)
      return {
        ...known.answer,
        headers: { ...known.answer.headers, 'idempotency-replayed': 'true' },
        contentType: JSON_TYPE,
        isReplay: true,
      }
  }
}

/** What was made can be found or removed by its id; its secret was shown once. */
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
