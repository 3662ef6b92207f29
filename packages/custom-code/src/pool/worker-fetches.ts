import type { GuardedFetch, GuardedRequest } from '../custom-code.ts'
import type { FetchedHeader, FromWorker } from './messages.ts'

type Asked = Extract<FromWorker, { said: 'fetch' }>

/** Fetches of one call under way at once; others are refused. */
const MOST_AT_ONCE = 20
/** Fetches of one call in all. */
const MOST = 1000
const MAX_BYTES = 10_000_000

/** The fetches of one call: each goes through the guarded one that its caller gave, and ends with the call. */
export class WorkerFetches {
  readonly #fetch: GuardedFetch | undefined
  readonly #answer: (header: FetchedHeader, body?: Uint8Array) => void
  readonly #over = new AbortController()
  #active = 0
  #sent = 0

  constructor(fetch: GuardedFetch | undefined, answer: (header: FetchedHeader, body?: Uint8Array) => void) {
    this.#fetch = fetch
    this.#answer = answer
  }

  stop(): void {
    if (this.#active > 0) this.#over.abort(new Error('The call is over.'))
  }

  send(asked: Asked, body: Buffer): void {
    this.#active += 1
    this.#sent += 1
    void this.#fetched(asked, body)
      .catch((error: unknown) => this.#fail(asked, error instanceof Error ? error.message : String(error)))
      .finally(() => {
        this.#active -= 1
      })
  }

  #fail({ id }: Asked, error: string): void {
    if (!this.#over.signal.aborted) this.#answer({ order: 'fetched', id, error })
  }

  async #fetched(asked: Asked, body: Buffer): Promise<void> {
    const { id, url } = asked
    if (this.#fetch === undefined) return this.#fail(asked, 'Functions have no network here.')
    if (this.#active > MOST_AT_ONCE)
      return this.#fail(asked, `A function makes at most ${MOST_AT_ONCE} fetches at once: wait for some.`)
    if (this.#sent > MOST) return this.#fail(asked, `A function makes at most ${MOST} fetches in one call.`)
    const response = await this.#fetch(String(url), requestOf(asked, body, this.#over.signal))
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (bytes.length > MAX_BYTES) return this.#fail(asked, `The answer has more than ${MAX_BYTES} bytes.`)
    const { status, statusText, redirected } = response
    const headers = [...response.headers]
    return this.#answer(
      { order: 'fetched', id, status, statusText, headers, url: response.url, redirected },
      bytes,
    )
  }
}

const REDIRECTS = ['follow', 'manual', 'error'] as const

function requestOf({ method, headers, redirect }: Asked, body: Buffer, signal: AbortSignal): GuardedRequest {
  return {
    method: String(method),
    headers,
    redirect: REDIRECTS.find((known) => known === redirect) ?? 'follow',
    signal,
    ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
  }
}
