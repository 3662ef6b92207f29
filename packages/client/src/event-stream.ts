/** One message of a stream of server-sent events whose data is JSON. */
export interface EventStreamMessage<Data> {
  /** Undefined for an event that is not kept. */
  id: string | undefined
  /** Its name: the type of the event. */
  type: string
  data: Data
}

/** Reads server-sent events from the body of a response. Leaving the loop cancels the body. */
export async function* readEventStream<Data>(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<EventStreamMessage<Data>, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  try {
    let rest = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const messages = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/)
      rest = messages.pop() ?? ''
      for (const message of messages) {
        const parsed = parse<Data>(message)
        if (parsed !== undefined) yield parsed
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Undefined for a comment, which only keeps the connection open. */
function parse<Data>(message: string): EventStreamMessage<Data> | undefined {
  const fields = new Map<string, string>()
  for (const line of message.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? []
    const before = fields.get(name)
    fields.set(name, name === 'data' && before !== undefined ? `${before}\n${value}` : value)
  }
  const data = fields.get('data')
  if (data === undefined) return undefined
  return { id: fields.get('id'), type: fields.get('event') ?? 'message', data: JSON.parse(data) as Data }
}
