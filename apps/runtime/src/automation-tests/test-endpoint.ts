import type { AutomationTest } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import type { RunOutcome } from '../automations/engine.ts'
import type { HttpAnswer } from '../automations/model.ts'
import { shownFailure } from '../runs/run-now.ts'
import { payloadOf } from '../webhooks/payload.ts'
import { unheardAnswer } from '../webhooks/shaped-answer.ts'

export type CalledEndpoint = NonNullable<AutomationTest['endpoint']>

/** A call of a URL trigger. */
export interface EndpointCall {
  readonly path: string
  /** What its automation gets. */
  readonly payload: (
    pathParams: Readonly<Record<string, string>>,
    readsRawBody: boolean,
  ) => Promise<Readonly<Record<string, unknown>>>
}

const MOST_FILE_BYTES = 1_000_000

type Parts = Exclude<CalledEndpoint, string>

export function callOf(given: CalledEndpoint): EndpointCall {
  const parts: Parts = typeof given === 'string' ? { path: given } : given
  const [, verb, address = ''] = /^(?:([A-Za-z]+)\s+)?(.*)$/s.exec(parts.path.trim()) ?? []
  const url = urlOf(address, parts.query)
  const { bytes, headers } = bodyOf(parts)
  const method = (parts.method ?? verb ?? (bytes.length > 0 ? 'POST' : 'GET')).toUpperCase()
  const request = { method, url: url.pathname + url.search, headers }
  return {
    path: decodeURIComponent(url.pathname).replace(/^\/+/, ''),
    payload: (pathParams, readsRawBody) =>
      payloadOf(request, bytes, { pathParams, readsRawBody, issuer: '', maxFileBytes: MOST_FILE_BYTES }),
  }
}

function urlOf(address: string, query: Parts['query'] = {}): URL {
  const url = new URL(address.replace(/^\/+/, ''), 'http://test.example/')
  for (const [name, value] of Object.entries(query))
    for (const item of [value].flat()) url.searchParams.append(name, textOf(item))
  return url
}

/** A text is sent as it is, and anything else as JSON, unless the headers say otherwise. */
function bodyOf({ body, rawBody, headers = {} }: Parts): { bytes: Buffer; headers: Record<string, string> } {
  const sent = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])
  if (body === undefined && rawBody === undefined)
    return { bytes: Buffer.alloc(0), headers: Object.fromEntries(sent) }
  const isText = typeof body === 'string' && rawBody === undefined
  const type = isText ? 'text/plain' : 'application/json'
  return {
    bytes: Buffer.from(rawBody ?? textOf(body)),
    headers: { 'content-type': type, ...Object.fromEntries(sent) },
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The answer of a URL trigger as its automations shape it in a test. Nobody reads it: nothing is waited for. */
export class TestAnswer implements HttpAnswer {
  readonly #shaped = unheardAnswer()
  readonly #chunks: unknown[] = []

  get handle(): object {
    return this.#shaped.handle
  }

  whenStreaming(): void {}

  assign(
    path: readonly (string | number)[],
    value: unknown,
    settle: () => Promise<void> | undefined,
  ): Promise<void> | undefined {
    const assigning = this.#shaped.assign(path, value, settle)
    const chunk = chunkOf(path, value)
    if (chunk !== undefined) this.#chunks.push(JSON.parse(JSON.stringify(chunk)))
    return assigning
  }

  /** As the caller would have it. */
  shown(output: unknown, outcome: RunOutcome | undefined): Readonly<Record<string, unknown>> {
    const { status, headers } = this.#shaped.head
    const { failed } = outcome ?? {}
    const failure = failed === undefined ? undefined : shownFailure(failed.failure, failed)
    const body: unknown = failure === undefined ? (output ?? {}) : JSON.parse(JSON.stringify(failure))
    if (this.#chunks.length === 0) return { status: failure?.status ?? status, headers, body }
    const last = failure === undefined && output === undefined ? [] : [body]
    return { status, headers, chunks: [...this.#chunks, ...last] }
  }
}

/** What a `set` sends, if it does. */
function chunkOf(path: readonly (string | number)[], value: unknown): unknown {
  if (path[0] === 'chunk') return value
  return path.length === 0 && isRecord(value) ? value.chunk : undefined
}
