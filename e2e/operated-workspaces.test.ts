import { describe, expect, test } from 'vitest'
import { administrator, call, newWorkspace, saveAutomation } from './support/caller.ts'
import { sharedPlatform } from './support/shapes.ts'

describe('a workspace', () => {
  test('keeps what its owner gives it, which leaves with a fetch and is shown to nobody', async () => {
    const platform = await sharedPlatform()
    const { origin } = platform
    const { jwt: token } = await administrator(platform)
    const workspaceId = await newWorkspace(origin, token)
    const at = `/v2/workspaces/${workspaceId}`
    const value = 'the key of a shop'
    const secrets = { shopKey: { value, description: 'For orders.' } }
    const saved = await call(origin, 'PUT', `${at}/security/secrets`, { token, body: secrets })
    expect(saved).toMatchObject({ status: 200, json: { shopKey: { description: 'For orders.' } } })
    await saveAutomation(origin, token, workspaceId, {
      slug: 'shop',
      when: { endpoint: true },
      output: { isRight: `{% {{body.key}} = "${value}" %}` },
    })
    await saveAutomation(origin, token, workspaceId, {
      slug: 'order',
      when: { endpoint: true },
      do: [
        {
          fetch: {
            url: '{{global.apiUrl}}/workspaces/{{global.workspaceId}}/webhooks/shop',
            method: 'post',
            body: { key: '{{secret.shopKey}}' },
            output: 'answer',
          },
        },
      ],
      output: ['{{answer.isRight}}', '{{secret.shopKey}}'],
    })
    const ordered = await call(origin, 'POST', `${at}/webhooks/order`, { token })
    expect(ordered.json).toEqual([true, expect.stringMatching(/^\$secret:/)])
    const shown = await call(origin, 'GET', `${at}/security/secrets`, { token })
    expect(shown.status).toBe(200)
    expect(JSON.stringify([saved.json, shown.json])).not.toContain(value)
    const deleted = await call(origin, 'DELETE', `${at}/security/secrets/shopKey`, { token })
    expect(deleted.json).toEqual({ secretName: 'shopKey' })
  })

  test('that an operator suspends answers nobody, until it is active again', async () => {
    const platform = await sharedPlatform()
    const { origin } = platform
    const { jwt: token } = await administrator(platform)
    const workspaceId = await newWorkspace(origin, token)
    const suspend = (suspended: boolean, reason = '') =>
      call(origin, 'PUT', `/v2/platform/workspaces/${workspaceId}/suspension`, {
        token,
        body: { suspended, ...(reason === '' ? {} : { reason }) },
      })
    const run = () => call(origin, 'POST', `/v2/workspaces/${workspaceId}/webhooks/answering`, { token })
    await saveAutomation(origin, token, workspaceId, {
      slug: 'answering',
      when: { endpoint: true },
      output: 'here',
    })
    expect(await run()).toMatchObject({ status: 200, json: 'here' })
    expect(await suspend(true, 'It floods a partner.')).toMatchObject({ status: 200 })
    expect(await run()).toMatchObject({ status: 403, json: { error: 'SuspendedWorkspaceError' } })
    const read = await call(origin, 'GET', `/v2/workspaces/${workspaceId}`, { token })
    expect(read.status).toBe(200)
    expect(JSON.stringify(read.json)).toContain('It floods a partner.')
    expect(await suspend(false)).toMatchObject({ status: 200 })
    expect(await run()).toMatchObject({ status: 200, json: 'here' })
  })
})
