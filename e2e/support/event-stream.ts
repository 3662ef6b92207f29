/** An event stream that is read while it goes on. */
export interface EventStream extends Disposable {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: events hold whatever was emitted.
  events: { id: string | undefined; record: any }[]
  /** When it ended, by the clock of `performance`. */
  endedAt(): number | undefined
}

/** Opens the event stream of a workspace as a script would. */
export async function openEventStream(
  origin: string,
  path: string,
  headers: Record<string, string>,
): Promise<EventStream> {
  const leaving = new AbortController()
  const answer = await fetch(origin + path, { headers, signal: leaving.signal })
  const events: EventStream['events'] = []
  let endedAt: number | undefined
  const read = async () => {
    let rest = ''
    for await (const chunk of (answer.body ?? new Blob([]).stream()).pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts.filter((one) => one.includes('data: '))) {
        const id = /^id: (.*)$/m.exec(part)?.[1]
        events.push({ id, record: JSON.parse(/^data: (.*)$/m.exec(part)?.[1] ?? 'null') })
      }
    }
  }
  const done = () => {
    endedAt = performance.now()
  }
  read().then(done, done)
  return { status: answer.status, events, endedAt: () => endedAt, [Symbol.dispose]: () => leaving.abort() }
}
