import { describe, expect, test } from 'vitest'
import { contractFinder, deleteApiKey, getAutomation, getReadiness, listAutomations } from './index.ts'
import { callWebhook } from './runs.ts'

const find = contractFinder([listAutomations, getAutomation, deleteApiKey, getReadiness, callWebhook])

describe('the contract of a request', () => {
  test.each([
    ['GET', '/v2/workspaces/w1/automations', listAutomations],
    ['GET', '/v2/workspaces/w1/automations/', listAutomations],
    ['HEAD', '/v2/workspaces/w1/automations', listAutomations],
    ['GET', '/v2/workspaces/w1/automations/v1/status', getAutomation],
    ['DELETE', '/v2/workspaces/w1/security/apikeys/k1', deleteApiKey],
    ['PURGE', '/v2/workspaces/w1/webhooks/a/b', callWebhook],
    ['GET', '/v2/readiness', getReadiness],
  ])('%s %s', (method, path, contract) => {
    expect(find(method, path)?.id).toBe(contract.id)
  })

  test.each([
    ['POST', '/v2/readiness'],
    ['GET', '/v2/readinessx'],
    ['GET', '/x/v2/readiness'],
    ['DELETE', '/v2/workspaces/w1/security/apikeys/k1/x'],
    ['GET', '/v2/workspaces//automations'],
    ['GET', ''],
  ])('is none for %s %s', (method, path) => {
    expect(find(method, path)).toBeUndefined()
  })
})
