/** A function that emits events of one type into a workspace in one call and resolves when they are committed. */
export const emitter =
  (
    origin: string,
    { workspaceId, authorization }: { workspaceId: string; authorization: string },
    type = 'bench.event',
  ) =>
  async (...payloads: readonly object[]): Promise<void> => {
    const answer = await fetch(`${origin}/v2/workspaces/${workspaceId}/events`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ events: payloads.map((payload) => ({ type, payload })) }),
    })
    if (!answer.ok) throw new Error(`Emitting answered ${answer.status}: ${await answer.text()}`)
    await answer.body?.cancel()
  }
