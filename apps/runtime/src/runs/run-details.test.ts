import { getRun, listRuns } from '@platform/contracts'
import { expect, test } from 'vitest'
import { startRuntime } from '../../test/testing.ts'
import { type DetailsSetting, runDetails } from './run-details.ts'

const ofWorkspace = (id: string, isSuspended = false) => ({ isSuspended, workspace: { id } })

test.each<[DetailsSetting, Record<string, boolean>]>([
  ['all', { succeeded: true, failed: true, cancelled: true }],
  ['failed', { succeeded: false, failed: true, cancelled: true }],
  ['none', { succeeded: false, failed: false, cancelled: false }],
])('%s keeps what it says', (setting, kept) => {
  const details = runDetails(setting)
  for (const [status, isKept] of Object.entries(kept))
    expect([status, details.keeps(ofWorkspace('w'), status)]).toEqual([status, isKept])
  expect(details.mayBeKept).toBe(setting !== 'none')
  expect(details.keeps(ofWorkspace('w', true), 'failed')).toBe(true)
})

test('sampled keeps every failed run, and of the others a few a second of each workspace', () => {
  const details = runDetails('sampled')
  const keptOf = (id: string) =>
    Array.from({ length: 1000 }, () => details.keeps(ofWorkspace(id), 'succeeded')).filter(Boolean).length
  expect(keptOf('busy')).toBeGreaterThanOrEqual(20)
  expect(keptOf('busy')).toBeLessThan(200)
  expect(details.keeps(ofWorkspace('busy'), 'failed')).toBe(true)
  expect(details.keeps(ofWorkspace('quiet'), 'succeeded')).toBe(true)
})

test('by default a run that succeeded shows what it was called with, and what each step did', async () => {
  await using runtime = await startRuntime()
  const { id: workspaceId } = await runtime.workspace({
    greet: { when: { endpoint: true }, do: [{ set: { name: 'greeting', value: 'Hello {{body.name}}' } }] },
  })
  await runtime.call(workspaceId, 'greet', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"Ada"}',
  })
  const ask = runtime.as({})
  const { runs } = await ask(listRuns, { params: { workspaceId }, query: {} })
  const run = await ask(getRun, { params: { workspaceId, runId: runs[0]?.id ?? '' } })
  expect(run).toMatchObject({
    status: 'succeeded',
    input: { body: { name: 'Ada' } },
    steps: [{ path: 'do[0].set', status: 'done', changed: [{ path: 'greeting', after: 'Hello Ada' }] }],
  })
})
