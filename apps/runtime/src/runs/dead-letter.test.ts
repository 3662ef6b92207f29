import { defaultEventLimits } from '@platform/outbox'
import { expect, test } from 'vitest'
import { deadLetterEvent } from './dead-letter.ts'
import type { ClaimedRun } from './run.ts'

const run: ClaimedRun = {
  id: '01900000-0000-7000-8000-000000000000',
  attempt: 1,
  try: 2,
  slot: null,
  debounce: null,
  crashCount: 0,
  workspaceId: 'w0123456789abcde',
  automationSlug: 'main',
  triggerType: 'event',
  triggerValue: 'go',
  triggerId: null,
  correlationId: 'correlation',
  revision: 1,
  input: { payload: {}, caller: {}, depth: 0 },
  cancellation: null,
  horizon: '0',
}
const failure = { error: 'ForbiddenError', message: 'No.', details: { max: 1 } }
const place = { automationSlug: 'helper', instruction: 'do[1].emit', line: 7, column: 5 }

test('the last failure of a run names the line, in its record and in its payload', () => {
  const event = deadLetterEvent(run, { ...failure, ...place }, 'fatal', defaultEventLimits)
  const details = { ...place, details: { max: 1 }, runId: run.id }
  expect(event.error).toEqual({ error: 'ForbiddenError', message: 'No.', details, level: 'fatal' })
  expect(event.payload).toEqual({ type: 'ForbiddenError', message: 'No.', details })
  expect(event.source).toMatchObject({
    workspaceId: run.workspaceId,
    automationSlug: 'main',
    automationDepth: 1,
  })
})

test('what can not be stored in a failure hides nothing else of it', () => {
  const event = deadLetterEvent(
    run,
    { ...failure, message: 'a\u0000b', ...place },
    'fatal',
    defaultEventLimits,
  )
  expect(JSON.stringify(event)).not.toContain('\\u0000')
  expect(event.error).toMatchObject({ details: place })
})
