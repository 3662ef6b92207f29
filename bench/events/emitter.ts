/** A function that emits one event into a workspace and resolves when it is committed. */
export const emitter =
  (origin: string, { workspaceId, authorization }: { workspaceId: string; authorization: string }) =>
  async (payload: object): Promise<void> => {
    const answer = await fetch(`${origin}/v2/workspaces/${workspaceId}/events`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ events: [{ type: 'bench.event', payload }] }),
    })
    if (!answer.ok) throw new Error(`Emitting answered ${answer.status}: ${await answer.text()}`)
    await answer.body?.cancel()
  }
