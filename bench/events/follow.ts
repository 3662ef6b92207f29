import { type IncomingMessage, request } from 'node:http'

/** A live reader of a workspace's events. */
export interface Follower extends Disposable {
  received: number
}

/**
 * Follows the events of a workspace over SSE; resolves when the first byte is there. `hear` gets the data of each
 * event.
 */
export async function follow(
  { origin, workspaceId, authorization }: { origin: string; workspaceId: string; authorization: string },
  hear: (data: string) => void,
): Promise<Follower> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization, accept: 'text/event-stream' }
    request(`${origin}/v2/workspaces/${workspaceId}/events/stream`, { headers, agent: false }, resolve)
      .once('error', reject)
      .end()
  })
  if (answer.statusCode !== 200) throw new Error(`The event stream answered ${answer.statusCode}.`)
  const follower: Follower = { received: 0, [Symbol.dispose]: () => void answer.destroy() }
  let rest = ''
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data:')) continue
      follower.received += 1
      hear(line.slice(5))
    }
  })
  answer.once('error', () => undefined)
  return follower
}
