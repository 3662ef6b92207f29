import { startAllInOne } from '@platform/testing/platform'
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

  test('has the config and the secrets that an operator gives it in the environment', async () => {
    const value = 'the key of an operator'
    await using platform = await startAllInOne({
      'WORKSPACE_CONFIG_given-shop_MODE': 'live',
      WORKSPACE_SECRET_given__shop_API_KEY: value,
      FETCH_ALLOWED_HOSTS: '127.0.0.0/8,localhost',
    })
    const { origin } = platform
    const { jwt: token } = await administrator(platform)
    const body = { name: 'Given', slug: 'given-shop', config: { value: { MODE: 'test' } } }
    const { json } = await call(origin, 'POST', '/v2/workspaces', { token, body })
    await saveAutomation(origin, token, json.id, {
      slug: 'right',
      when: { endpoint: true },
      output: { isRight: `{% {{body.key}} = "${value}" %}` },
    })
    const url = '{{global.apiUrl}}/workspaces/{{global.workspaceId}}/webhooks/right'
    await saveAutomation(origin, token, json.id, {
      slug: 'order',
      when: { endpoint: true },
      do: [{ fetch: { url, method: 'post', body: { key: '{{secret.API_KEY}}' }, output: 'answer' } }],
      output: ['{{config.MODE}}', '{{answer.isRight}}'],
    })
    const ordered = await call(origin, 'POST', `/v2/workspaces/${json.id}/webhooks/order`, { token })
    expect(ordered.json).toEqual(['live', true])
    const listed = await call(origin, 'GET', `/v2/workspaces/${json.id}/security/secrets`, { token })
    expect(listed.json).toEqual({ API_KEY: { fromEnvironment: true } })
    expect(platform.process('all-in-one').output()).not.toContain(value)
  })
})
