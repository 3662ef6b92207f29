import { createHash, createHmac, randomUUID } from 'node:crypto'
import type { IdempotencyStore, KeyedRequest, KeyState } from '@platform/http'
import type { Claim, RequestRow, RequestStore } from './request-store.ts'

/**
 * A claim outlives the deadline by this: an answer may be on its way to the table when nobody waits for it any more.
 */
const MARGIN_MS = 5000

/** What routes ask about keys, on the table of requests. */
export const storedResponses = (requests: RequestStore, pepper: string): IdempotencyStore => ({
  async begin(request, deadlineAt) {
    const leaseMs = Math.max(0, deadlineAt - Date.now()) + MARGIN_MS
    // A body may hold a password, and its key may be as plain as "1".
    const fingerprint = createHmac('sha256', pepper).update(request.fingerprint).digest()
    const claim: Claim = { id: idOf(request), fingerprint, owner: randomUUID(), leaseMs }
    const found = await requests.claim(claim)
    if (!found.isOld) return stateOf(found, claim)
    await requests.removeOld(claim.id)
    return stateOf(await requests.claim(claim), claim)
  },
  keep: (request, owner, answer, secret) =>
    requests.keep({ id: idOf(request), owner }, { ...answer, secret }),
  doubt: (request, owner) => requests.endLease({ id: idOf(request), owner }),
  release: (request, owner) => requests.release({ id: idOf(request), owner }),
})

function stateOf(row: RequestRow, { owner, fingerprint }: Claim): KeyState {
  if (row.owner === owner) return { state: 'begun', owner }
  if (!row.fingerprint.equals(fingerprint)) return { state: 'other-request' }
  if (row.status === null) return { state: row.isLeaseOver ? 'unknown' : 'running' }
  const answer = { status: row.status, headers: row.headers ?? {}, body: row.body ?? '' }
  return { state: 'answered', answer, secret: row.secret }
}

const idOf = ({ scope, key }: KeyedRequest): Buffer =>
  createHash('sha256').update(`${scope}\n${key}`).digest()
