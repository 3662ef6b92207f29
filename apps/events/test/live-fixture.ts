import { fillPath } from '@platform/client'
import { streamEvents } from '@platform/contracts'

/** A message of an event stream, as an EventSource would hand it over. */
export interface Message {
  id: string | undefined
  type: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: events are whatever was emitted.
  data: any
}

/** An event stream that is read while it goes on. */
export interface OpenStream extends Disposable {
  status: number
  headers: Headers
  messages: Message[]
  text(): string
  isOver(): boolean
}

/** Opens a stream and reads it into a list until it is disposed. */
export async function openStream(
  origin: string,
  workspaceId: string,
  headers: Record<string, string>,
  query = '',
): Promise<OpenStream> {
  const leaving = new AbortController()
  const path = fillPath(streamEvents.path, { workspaceId })
  const answer = await fetch(`${origin}${path}${query}`, { headers, signal: leaving.signal })
  const messages: Message[] = []
  let text = ''
  let isOver = false
  const body = answer.body ?? new Blob([]).stream()
  const read = async () => {
    let rest = ''
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const parts = (rest + chunk).split('\n\n')
      rest = parts.pop() ?? ''
      messages.push(...parts.filter((part) => part.includes('data: ')).map(messageOf))
    }
  }
  read().then(
    () => (isOver = true),
    () => (isOver = true),
  )
  return {
    status: answer.status,
    headers: answer.headers,
    messages,
    text: () => text,
    isOver: () => isOver,
    [Symbol.dispose]: () => leaving.abort(),
  }
}

function messageOf(part: string): Message {
  const field = (name: string) =>
    part
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  return { id: field('id'), type: field('event'), data: JSON.parse(field('data') ?? 'null') }
}
