import { ADMIN, type Platform, signIn } from '@platform/testing/platform'

/** A workspace to call, an access token for it, and who posts to the platform with that, and wants it done. */
export interface CalledWorkspace {
  readonly workspaceId: string
  readonly authorization: string
  readonly post: (path: string, body: unknown) => Promise<Record<string, string>>
}

/** A workspace of the administrator with the sample's automations. */
export async function workspaceToCall(platform: Platform): Promise<CalledWorkspace> {
  const authorization = `Bearer ${await signIn(platform.origin, ADMIN)}`
  const json = { 'content-type': 'application/json', authorization }
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(platform.origin + path, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Record<string, string>
  }
  const { id: workspaceId = '' } = await post('/v2/workspaces', { name: 'Bench' })
  await post(`/v2/workspaces/${workspaceId}/automations`, {
    slug: 'greet',
    name: 'greet',
    when: { endpoint: true },
    do: [{ set: { name: 'greeting', value: 'Hello {{body.name}}' } }],
    output: { greeting: '{{greeting}}' },
  })
  await post(`/v2/workspaces/${workspaceId}/automations`, {
    slug: 'order',
    name: 'order',
    when: { endpoint: true },
    do: [
      { set: { name: 'greeting', value: 'Hello {{body.name}}' } },
      { set: { name: 'answer', value: { greeting: '{{greeting}}', id: '{{body.order.id}}' } } },
    ],
    output: '{{answer}}',
  })
  return { workspaceId, authorization, post }
}
