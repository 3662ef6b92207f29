import { createHmac } from 'node:crypto'
import type { TryOutcome } from '@platform/contracts'
import { type Clock, retryAfterMsOf, uuidv7 } from '@platform/kernel'
import { excerptWithout, withoutSecretFields } from '@platform/logging'
import type { MasterKeyRing } from '@platform/master-keys'
import { isTimeout, type Outbound, type OutboundAnswer, OutboundRefused } from '@platform/outbound'
import type { TryRecord } from './queue-store.ts'
import { type SubscriptionRecord, sealContextOf } from './subscription.ts'

/** Where a message goes, and what proves where it is from. */
interface Target {
  url: string
  headers: Record<string, string>
  /** The one that signs first, and while it is being replaced the one before. */
  secrets: readonly string[]
}

/** One try. */
export interface Tried {
  log: TryRecord
  retryAfterMs: number | undefined
}

interface Needs {
  outbound: Pick<Outbound, 'request'>
  clock: Clock
  /** Until the whole answer is there, redirects included. */
  timeoutMs: number
}

/**
 * How long a delivery waits for the answer, and how long a test, whose caller is to be answered within three seconds.
 */
export const SEND_TIMEOUT_MS = 15_000
export const TEST_TIMEOUT_MS = 2500
/** The status decides; of the rest only the beginning is read. */
const READ_MS = 2000
const MAX_REDIRECTS = 3
/** Characters stored of what was sent and of what was answered. */
const EXCERPT_LENGTH = 2048
const USER_AGENT = 'platform-webhooks/2 (Standard Webhooks)'

/**
 * POSTs a signed message (Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`). Never rejects
 * for what the endpoint does; rejects with the reason of `signal` when that aborts.
 */
export const sendWebhook =
  ({ outbound, clock, timeoutMs }: Needs) =>
  async (target: Target, { id, body }: { id: string; body: string }, signal: AbortSignal): Promise<Tried> => {
    const now = clock.now()
    const timestamp = Math.floor(now.getTime() / 1000)
    const signature = signatureOf(target.secrets, { id, timestamp, body })
    const secrets = new Set([...target.secrets, ...Object.values(target.headers), ...signature.split(' ')])
    const request = JSON.stringify(withoutSecretFields(JSON.parse(body), secrets)).slice(0, EXCERPT_LENGTH)
    const signed = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    }
    const begun = performance.now()
    const ended = await responseOf(outbound, target, { signed, body, signal, timeoutMs }).catch(
      (error: unknown) => {
        signal.throwIfAborted()
        return failed(error, timeoutMs)
      },
    )
    const { response, retryAfter, ...known } = ended
    const durationMs = Math.round(performance.now() - begun)
    const shown = response === null ? null : excerptWithout(response, secrets, EXCERPT_LENGTH)
    return {
      log: { id: uuidv7(now.getTime()), durationMs, request, response: shown, ...known },
      retryAfterMs: retryAfterMsOf(retryAfter, now),
    }
  }

/** `webhook-signature`: one for each secret, space-separated. */
const signatureOf = (
  secrets: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')

interface Ended {
  outcome: TryOutcome
  status: number | null
  error: string | null
  response: string | null
  retryAfter: string | null
}

interface Message {
  signed: Record<string, string>
  body: string
  signal: AbortSignal
  timeoutMs: number
}

/** Follows redirects, at most three; each address passes the same guard. */
async function responseOf(
  outbound: Needs['outbound'],
  { url, headers }: Target,
  { signed, body, signal, timeoutMs }: Message,
): Promise<Ended> {
  const endsAt = performance.now() + timeoutMs
  const first = new URL(url)
  let at = first
  for (let hops = 0; ; hops += 1) {
    const answer = await outbound.request({
      url: at,
      method: 'POST',
      // Own headers are for the host they were given for.
      headers: { ...(at.origin === first.origin ? lowerCased(headers) : {}), ...signed },
      body,
      redirects: 'answer',
      signal,
      timeoutMs: endsAt - performance.now(),
    })
    const next = redirectOf(answer, at)
    if (next === undefined) return await endedWith(answer)
    answer.discard()
    if (hops === MAX_REDIRECTS)
      throw new OutboundRefused(`${first.host} redirects more than ${MAX_REDIRECTS} times.`)
    at = next
  }
}

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/**
 * Where an answer redirects to with the same method and body: any other redirect would arrive as a GET with nothing in
 * it.
 */
function redirectOf({ status, headers: { location } }: OutboundAnswer, from: URL): URL | undefined {
  if ((status !== 307 && status !== 308) || location === undefined) return undefined
  const next = URL.parse(String(location), from.href)
  if (next === null || (from.protocol === 'https:' && next.protocol !== 'https:'))
    throw new OutboundRefused(`${from.host} redirects to http, or to what is no address.`)
  return next
}

async function endedWith(answer: OutboundAnswer): Promise<Ended> {
  const { status, isOk } = answer
  return {
    outcome: isOk ? 'delivered' : 'refused',
    status,
    error: isOk ? null : `The endpoint answered ${status}.`,
    response: await beginningOf(answer),
    retryAfter: answer.headers['retry-after']?.toString() ?? null,
  }
}

/** What came of the answer in a short while: how it goes on changes nothing. */
async function beginningOf(answer: OutboundAnswer): Promise<string> {
  const timer = setTimeout(() => answer.discard(), READ_MS)
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const piece of answer.pieces()) {
      text += decoder.decode(piece, { stream: true })
      if (text.length >= 2 * EXCERPT_LENGTH) break
    }
  } catch {
    return text
  } finally {
    clearTimeout(timer)
  }
  return text
}

function failed(error: unknown, timeoutMs: number): Ended {
  const nothing = { status: null, response: null, retryAfter: null }
  if (isTimeout(error))
    return {
      ...nothing,
      outcome: 'timeout',
      error: `The endpoint did not answer within ${timeoutMs / 1000} s.`,
    }
  if (error instanceof OutboundRefused)
    return {
      ...nothing,
      outcome: 'blocked',
      error: error.message,
    }
  return { ...nothing, outcome: 'unreachable', error: `The endpoint could not be reached${codeOf(error)}.` }
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? ` (${code})` : ''
}

type Sealed = Pick<
  SubscriptionRecord,
  'id' | 'url' | 'headers' | 'secret' | 'previousSecret' | 'previousSecretUntil'
>

/**
 * Where a subscription sends, with its secrets opened. After a rotation the one before signs too, until its time is
 * over.
 */
export function targetOf(sealed: Sealed, masterKeys: MasterKeyRing, now: Date): Target {
  const { id, url, headers, secret, previousSecret, previousSecretUntil } = sealed
  const overlaps = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > now
  return {
    url,
    headers: headers === null ? {} : JSON.parse(masterKeys.open(headers, sealContextOf(id, 'headers'))),
    secrets: [secret, ...(overlaps ? [previousSecret] : [])].map((one) =>
      masterKeys.open(one, sealContextOf(id, 'secret')),
    ),
  }
}
