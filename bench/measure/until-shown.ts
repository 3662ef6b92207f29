import { setTimeout } from 'node:timers/promises'

/** Emits one event and answers the seconds until the feed shows it: everything that came before it is there then. */
export async function secondsUntilShown(url: string, authorization: string): Promise<number> {
  const headers = { authorization, 'content-type': 'application/json' }
  const since = performance.now()
  const marker = `bench.last-${crypto.randomUUID()}`
  const body = JSON.stringify({ events: [{ type: marker, payload: {} }] })
  const { status } = await fetch(url, { method: 'POST', headers, body })
  if (status !== 200) throw new Error(`The last event of the burst was answered with ${status}.`)
  for (;;) {
    const feed = await fetch(`${url}?types=${marker}&limit=1`, { headers })
    const { result } = (await feed.json()) as { result?: { events: unknown[] } }
    if (result !== undefined && result.events.length > 0) return (performance.now() - since) / 1000
    await setTimeout(100)
  }
}
