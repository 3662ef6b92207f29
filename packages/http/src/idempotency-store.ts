/** One request that carries an `Idempotency-Key` (decisions A7). */
export interface KeyedRequest {
  /** Service and caller: two callers may use the same key for different things. */
  scope: string
  key: string
  /** SHA-256 over scope, key, method, path, query and body, hexadecimal. */
  fingerprint: string
}

/** What is kept of an answer. */
export interface KeptAnswer {
  status: number
  headers: Record<string, string>
  /** JSON text; for answers with a secret only the `_id` of the record. */
  body: string
}

/** What is known of a key: `begun` means that this request is the first and now owns it. */
export type KeyState =
  | { state: 'begun'; owner: string }
  | { state: 'running' }
  /** The first request ended without telling how: the process died, or its answer could not be kept. */
  | { state: 'unknown' }
  | { state: 'other-request' }
  | { state: 'answered'; answer: KeptAnswer; secret: boolean }

/** Remembers answers for 24 h. Implemented by packages/idempotency on PostgreSQL. */
export interface IdempotencyStore {
  /** Claims a key, or tells what is known of it. */
  begin(request: KeyedRequest, deadlineAt: number): Promise<KeyState>
  /** Keeps the answer of the request that owns the key. */
  keep(request: KeyedRequest, owner: string, answer: KeptAnswer, secret: boolean): Promise<void>
  /** Says that nobody knows what the request has done: the key is never run again. */
  doubt(request: KeyedRequest, owner: string): Promise<void>
  /** Gives the key back: nothing was done (the request was refused), so the next try may be another. */
  release(request: KeyedRequest, owner: string): Promise<void>
}
