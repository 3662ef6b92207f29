import { type EventRecord, tailEvents } from '@platform/contracts'
import { refusal } from '../platform/call.ts'
import type { Platform } from '../platform/find-platform.ts'

/** The stream ended or could not be opened, and is tried again. */
const AGAIN_MS = 1000
/** The platform sends something every 15 seconds; after this it is gone. */
const SILENCE_MS = 40_000

/** What happens while a stream is followed. */
export interface Follower {
  heard(record: EventRecord): void
  /** The platform is away; called once until it is back. */
  waits(): void
  returned(): void
}

/**
 * Follows the events of a workspace until the signal aborts, also while the platform restarts. Rejects with
 * OpsProblem when it refuses.
 */
export async function followStream(
  platform: Platform,
  { workspaceId, types }: { workspaceId: string; types: string | undefined },
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  const url = urlOf(platform, workspaceId, types)
  const place: Place = { lastEventId: undefined }
  for (let isAway = false; !signal.aborted; isAway = true) {
    const body = await open(url, platform.internalKey, place, signal)
    if (body !== undefined && isAway) follower.returned()
    await read(body, place, follower, signal)
    if (signal.aborted) return
    if (body !== undefined || !isAway) follower.waits()
    await pause(signal)
  }
}

function urlOf({ baseUrl }: Platform, workspaceId: string, types: string | undefined): string {
  const query = types === undefined ? '' : `?${new URLSearchParams({ types })}`
  return `${baseUrl}${tailEvents.path.replace(':workspaceId', encodeURIComponent(workspaceId))}${query}`
}

interface Place {
  lastEventId: string | undefined
}

/** Undefined while nothing of the platform answers. */
async function open(url: string, key: string, { lastEventId }: Place, signal: AbortSignal) {
  const headers = {
    'x-platform-api-key': key,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  }
  const answer = await fetch(url, { headers, signal }).catch(() => undefined)
  if (answer === undefined || answer.status >= 500) return undefined
  if (answer.status !== 200) throw refusal(answer.status, await answer.json().catch(() => undefined))
  return answer.body ?? undefined
}

async function read(
  body: ReadableStream<Uint8Array> | undefined,
  place: Place,
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  if (body === undefined) return
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  for (;;) {
    const chunk = await next(reader, signal)
    if (chunk === undefined) return
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) take(block, place, follower)
  }
}

/** Undefined when the stream is over, or silent for too long. */
async function next(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const silent = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => silent.resolve(undefined), SILENCE_MS)
  try {
    const read = await Promise.race([reader.read(), silent.promise])
    if (read === undefined) await reader.cancel()
    return signal.aborted ? undefined : read?.value
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

function take(block: string, place: Place, follower: Follower): void {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  place.lastEventId = field('id') ?? place.lastEventId
  const data = field('data')
  if (data !== undefined) follower.heard(JSON.parse(data) as EventRecord)
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, AGAIN_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
