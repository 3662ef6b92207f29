import { sql } from '@platform/database'
import { createLogger } from '@platform/logging'
import { defaultEventLimits } from '@platform/outbox'
import type { Contained, Death } from '@platform/service/processes'
import { expect, test, vi } from 'vitest'
import { effectWriters, insertRuns } from '../../test/runs.ts'
import { compiled, runsDatabase } from '../../test/testing.ts'
import { openContainment } from './quarantine.ts'
import { runChangeStore } from './run-change-store.ts'
import { groupCommits, runStore } from './run-store.ts'
import { suspectStore } from './suspect-store.ts'

test('a run that ended its process twice names the line at which it did', async () => {
  await using database = await runsDatabase()
  const workspace = compiled({ main: {}, helper: {} })
  const input = { payload: {}, caller: {}, depth: 0 }
  const [runId = ''] = await insertRuns(database, workspace.id, [
    { status: 'running', automationSlug: 'main', input },
  ])
  await database.many(sql`update runtime.runs set worker = 'gone', deaths = 1 where id = ${runId}`)
  let tell: (death: Death) => void = () => undefined
  const self: Contained = {
    role: 'serving',
    box: { name: () => undefined, mark: () => undefined } as unknown as Contained['box'],
    news: undefined,
    ready: () => undefined,
    leave: () => undefined,
    foundSuspects: () => undefined,
    onDeath: (heard) => {
      tell = heard
    },
    onNews: () => undefined,
  }
  const asked: unknown[] = []
  const placeOf = async (...question: string[]) => {
    asked.push(question)
    return { line: 7, column: 5 }
  }
  openContainment(self).containment?.settle({
    suspects: suspectStore(database),
    commits: groupCommits(runStore(database, effectWriters)),
    changes: runChangeStore(database),
    definitions: { find: async () => ({ ...workspace, placeOf }) },
    limits: defaultEventLimits,
    wakeWorkers: () => undefined,
    log: createLogger({ level: 'silent' }),
  })
  const place = { automationSlug: 'helper', instruction: 'do[3].repeat.do[1].set' }
  const marker = JSON.stringify({ runId, workspaceId: workspace.id, automationSlug: 'main', place })
  tell({ cause: 'ended', seen: 'ran out of memory', name: 'gone', marker, role: 'apart' })
  await vi.waitFor(async () => {
    const [run] = await database.many(sql`select status, error from runtime.runs where id = ${runId}`)
    expect(run).toMatchObject({
      status: 'failed',
      error: { error: 'TooManyAttempts', ...place, line: 7, column: 5 },
    })
  })
  expect(asked).toEqual([[place.automationSlug, place.instruction]])
})
