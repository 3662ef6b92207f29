import { durationMs, type FetchStub, type FetchStubAnswer } from '@platform/contracts'
import type { Clock } from '@platform/kernel'
import { pauseBy, type Timers } from '../automations/timers.ts'
import { itemsOf } from '../fetches/event-stream-items.ts'
import type { FetchAnswer, FetchFailure } from '../fetches/fetch-answer.ts'
import type { FetchRequest } from '../fetches/fetch-request.ts'
import type { FetchCall, Fetches } from '../fetches/fetches.ts'
import type { FetchSettings } from '../fetches/fetches-env.ts'
import { LiveStream } from '../fetches/live-stream.ts'
import { OwnApi } from '../fetches/own-api.ts'
import { compare } from './compare.ts'
import type { FailTest } from './stub-answers.ts'

/** A request as a test sees it. */
export interface MadeFetch {
  readonly method: string
  readonly url: string
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Characters of a request beside its body, about. */
const KEPT_BESIDE = 1000
/** Set by the platform, different each time. */
const OF_THE_PLATFORM = new Set(['traceparent', 'idempotency-key'])

const NOWHERE = { apiUrl: 'http://api.example/v2', internalApiUrl: 'http://api.example/v2' }
const TOKENS = {
  ofCall: async () => 'token-of-the-test',
  proofOf: async () => 'token-of-the-test',
  isProof: async () => true,
}

interface Parts {
  readonly stubs: readonly FetchStub[]
  readonly settings: FetchSettings
  readonly timers: Timers
  readonly clock: Clock
  readonly fail: FailTest
  /** Told how much is kept of a request. */
  readonly keeps: (characters: number) => void
}

/** Answers requests from a test: nothing leaves. */
export class TestFetches implements Fetches {
  readonly made: MadeFetch[] = []
  readonly settings: FetchSettings
  /** `auth` gives a token that proves nothing to anybody. */
  readonly own = new OwnApi({ ...NOWHERE, tokens: TOKENS, findApiKey: async () => undefined })
  readonly #parts: Parts
  readonly #given = new Map<FetchStub, number>()

  constructor(parts: Parts) {
    this.#parts = parts
    this.settings = parts.settings
  }

  async send(request: FetchRequest, call: FetchCall): Promise<FetchAnswer | FetchFailure> {
    const made = madeOf(request)
    this.#parts.keeps((request.body?.length ?? 0) + KEPT_BESIDE)
    this.made.push(made)
    const answer = this.#answerTo(made)
    const { timers } = this.#parts
    const atMs = this.#parts.clock.now().getTime()
    const delayMs = durationMs(answer.delay ?? 0) ?? 0
    const isLate = delayMs > request.timeoutMs
    if (delayMs > 0) await pauseBy(timers, Math.min(delayMs, request.timeoutMs), call.signal)
    const result = isLate ? lateOf(request) : streamed(resultOf(answer, request), request, call)
    call.onAttempt?.([atMs, delayMs, 'error' in result ? result.error.name : String(result.status)])
    return result
  }

  #answerTo(made: MadeFetch): FetchStubAnswer {
    const { stubs, fail } = this.#parts
    const fitting = stubs.filter((stub) => isFor(stub, made))
    for (const stub of fitting) {
      const { answer = {} } = stub
      const index = this.#given.get(stub) ?? 0
      const next = Array.isArray(answer) ? answer[index] : answer
      if (next === undefined) continue
      this.#given.set(stub, index + 1)
      return next
    }
    const what = `${made.method.toUpperCase()} ${made.url}`
    return fail(
      fitting.length === 0
        ? `The test has no answer for the fetch ${what}: add it to \`fetches\`.`
        : `The fetch ${what} was made more often than \`fetches\` of the test has answers for it.`,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function madeOf(request: FetchRequest): MadeFetch {
  const { url, method, headers, body, parts } = request
  const shown = [...headers].filter(([name]) => !OF_THE_PLATFORM.has(name))
  const form = parts?.map(({ name, content }) => [name, content])
  const sent = form === undefined ? readBody(body) : Object.fromEntries(form)
  return {
    method: method.toLowerCase(),
    url: url.href,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(shown),
    ...(sent === undefined ? {} : { body: sent }),
  }
}

function readBody(body: string | undefined): unknown {
  if (body === undefined || !/^\s*[[{]/.test(body)) return body
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

function isFor({ url, method, headers, query, body }: FetchStub, made: MadeFetch): boolean {
  if (method !== undefined && method.toLowerCase() !== made.method) return false
  const address = url.includes('?') ? made.url : made.url.split('?', 1)[0]
  if (!isLike(address ?? '', url)) return false
  const wanted = {
    ...(headers && { headers: lowerCased(headers) }),
    ...(query && { query }),
    ...(body !== undefined && { body }),
  }
  return compare(wanted, made, '', 'partial').length === 0
}

const lowerCased = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** `*` stands for any characters. Each piece is looked for behind the one before: no pattern takes long. */
function isLike(text: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*')
  const isAddress = others.length === 0 && (text === first || text === `${first}/`)
  if (others.length === 0) return isAddress
  if (!text.startsWith(first)) return false
  const last = others.pop() ?? ''
  let at = first.length
  for (const piece of others) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

function resultOf(answer: FetchStubAnswer, { url }: FetchRequest): FetchAnswer | FetchFailure {
  if (answer.error !== undefined)
    return { error: { name: 'NetworkError', message: `${url.host} could not be reached (${answer.error}).` } }
  const [bytes, type] = contentOf(answer)
  const given = Object.entries(answer.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ])
  const headers = { ...(type === undefined ? {} : { 'content-type': type }), ...Object.fromEntries(given) }
  return { status: answer.status ?? 200, headers, bytes }
}

function contentOf({ body, base64, chunks }: FetchStubAnswer): [Buffer, string | undefined] {
  if (chunks !== undefined)
    return [Buffer.from(chunks.map((one) => `data: ${textOf(one)}\n\n`).join('')), 'text/event-stream']
  if (base64 !== undefined) return [Buffer.from(base64, 'base64'), undefined]
  if (body === undefined) return [Buffer.alloc(0), undefined]
  return typeof body === 'string'
    ? [Buffer.from(body), 'text/plain; charset=utf-8']
    : [Buffer.from(JSON.stringify(body)), 'application/json']
}

/** An answer that is read while it comes, where the automation asks for that. All of it is there at once. */
function streamed(
  result: FetchAnswer | FetchFailure,
  { url, timeoutMs }: FetchRequest,
  { streams }: FetchCall,
): FetchAnswer | FetchFailure {
  if (streams === undefined || 'error' in result || result.status >= 400) return result
  const items = itemsOf(String(result.headers['content-type'] ?? ''), streams)
  if (items === undefined) return result
  const parts = {
    pieces: inOnePiece(result.bytes),
    host: url.host,
    items,
    silenceMs: timeoutMs,
    onClose: () => undefined,
  }
  return { ...result, bytes: Buffer.alloc(0), live: new LiveStream(parts) }
}

async function* inOnePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const lateOf = ({ url, timeoutMs }: FetchRequest): FetchFailure => ({
  error: {
    name: 'TimeoutError',
    message: `${url.host} did not answer in full within ${timeoutMs / 1000} s.`,
  },
})
