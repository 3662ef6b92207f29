import { randomUUID } from 'node:crypto'
import { createAutomation, deleteAutomation, deleteWorkspace, patchAutomation } from '@platform/contracts'
import { type Queries, raw, sql } from '@platform/database'
import { DAY_MS, systemClock } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'
import { definitionHistoryStore } from './definition-history-store.ts'
import { forgetDefinitions } from './forget-definitions.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

/** A workspace and the automation `main` in it, which says 0. */
async function newMain() {
  const { workspace, owner } = await service.newWorkspace()
  const params = { workspaceId: workspace.id, automationSlug: 'main' }
  await owner(createAutomation, { params, body: { slug: 'main', output: 0 } })
  const patch = (body: Record<string, unknown>, slug = 'main') =>
    owner(patchAutomation, { params: { ...params, automationSlug: slug }, body })
  return { owner, workspaceId: workspace.id, params, patch }
}

async function revisionOf(workspaceId: string): Promise<number> {
  const [row] = await service.database.many<{ revision: number }>(
    sql`select revision from workspaces.changes where workspace_id = ${workspaceId}`,
  )
  return row?.revision ?? 0
}

/** What a slug said at a revision, as the runtime finds it; undefined where it was not there. */
async function saidAt(workspaceId: string, slug: string, revision: number): Promise<unknown> {
  const [row] = await service.database.many<{ output: unknown }>(sql`
    select output from (
      (select definition -> 'output' as output from workspaces.recorded_definitions
       where workspace_id = ${workspaceId} and slug = ${slug} and until_revision > ${revision}
       order by until_revision limit 1)
      union all
      select definition -> 'output' from workspaces.live_automations
      where workspace_id = ${workspaceId} and slug = ${slug}
    ) found limit 1`)
  return row?.output ?? undefined
}

async function countRows(workspaceId: string) {
  const [row] = await service.database.many<{ rows: number; texts: number }>(sql`
    select (select count(*)::int from workspaces.definition_history where workspace_id = ${workspaceId}) as rows,
      (select count(*)::int from workspaces.definition_texts where workspace_id = ${workspaceId}) as texts`)
  return row
}

/** Saves one of two texts in each round, in one transaction whose rounds count as changes of their own. */
const saveQuickly = (workspaceId: string, from: number, to: number) =>
  service.database.transaction(async (tx: Queries) => {
    await tx.many(sql`select set_config('test.workspace', ${workspaceId}, true)`)
    await tx.many(
      raw(`do $$ begin for round in ${from}..${to} loop
        update workspaces.workspaces set revision = revision + 1 where id = current_setting('test.workspace');
        update workspaces.automations set checksum = (round % 2)::text
          where workspace_id = current_setting('test.workspace');
        set constraints all immediate;
        set constraints all deferred;
      end loop; end $$`),
    )
  })

describe('what an automation was', () => {
  test('is found at each revision, after saves, a rename and a deletion', async () => {
    const { owner, workspaceId, params, patch } = await newMain()
    const revisions = [await revisionOf(workspaceId)]
    const then = async (change: Promise<unknown>) => {
      await change
      revisions.push(await revisionOf(workspaceId))
    }
    await then(patch({ output: 1 }))
    await then(patch({ output: 2 }))
    await then(patch({ slug: 'other' }))
    await then(patch({ output: 3 }, 'other'))
    await then(owner(deleteAutomation, { params: { ...params, automationSlug: 'other' } }))
    await then(owner(createAutomation, { params, body: { slug: 'main', output: 4 } }))

    const said = (slug: string) => Promise.all(revisions.map((at) => saidAt(workspaceId, slug, at)))
    expect(await said('main')).toEqual([0, 1, 2, undefined, undefined, undefined, 4])
    expect(await said('other')).toEqual([undefined, undefined, undefined, 2, 3, undefined, undefined])
    expect(await saidAt(workspaceId, 'main', 1)).toBeUndefined()
  })

  test('is recorded by the database, whichever version of the service saves', async () => {
    const { workspaceId } = await newMain()
    const before = await revisionOf(workspaceId)
    // The statements of the version before, which knows nothing of what is recorded.
    await service.database.transaction(async (tx: Queries) => {
      await tx.many(sql`update workspaces.workspaces set revision = revision + 1 where id = ${workspaceId}`)
      await tx.many(sql`
        update workspaces.automations set definition = '{"slug":"main","output":"new"}', checksum = ${randomUUID()}
        where workspace_id = ${workspaceId} and slug = 'main'`)
    })
    const after = await revisionOf(workspaceId)
    expect(await Promise.all([before, after].map((at) => saidAt(workspaceId, 'main', at)))).toEqual([
      0,
      'new',
    ])
  })

  test('of several changes in one transaction is what was there before the first', async () => {
    const { workspaceId } = await newMain()
    const before = await revisionOf(workspaceId)
    await service.database.transaction(async (tx: Queries) => {
      const say = (text: string) =>
        tx.many(sql`
        update workspaces.automations set definition = json_build_object('output', ${text}::text), checksum = ${text}
        where workspace_id = ${workspaceId} and slug = 'main'`)
      await say('one')
      await say('two')
      await tx.many(sql`update workspaces.workspaces set revision = revision + 1 where id = ${workspaceId}`)
    })
    expect(await saidAt(workspaceId, 'main', before)).toBe(0)
    expect(await saidAt(workspaceId, 'main', before + 1)).toBe('two')
  })

  test('a thousand saves keep a thousand rows, and each text once', async () => {
    const { workspaceId, patch } = await newMain()
    for (let round = 1; round < 20; round += 1) await patch({ output: round % 2 })
    await saveQuickly(workspaceId, 20, 999)
    expect(await countRows(workspaceId)).toEqual({ rows: 1000, texts: 4 })
  })

  test('costs nothing where the same is saved again', async () => {
    const { workspaceId, patch } = await newMain()
    const before = await countRows(workspaceId)
    await patch({ output: 0 })
    expect(await countRows(workspaceId)).toEqual(before)
  })

  test('is forgotten 40 days after the runs that began with it are, and with its workspace', async () => {
    const { owner, workspaceId, params, patch } = await newMain()
    await patch({ output: 1 })
    const history = definitionHistoryStore(service.database)
    const forgetIn = (days: number) =>
      forgetDefinitions({
        history,
        clock: { now: () => new Date(systemClock.now().getTime() + days * DAY_MS) },
        runsRetentionDays: 30,
      }).run(new AbortController().signal)
    await forgetIn(69)
    expect(await countRows(workspaceId)).toEqual({ rows: 2, texts: 1 })
    await forgetIn(71)
    expect(await countRows(workspaceId)).toEqual({ rows: 0, texts: 0 })

    await patch({ output: 2 })
    expect(await countRows(workspaceId)).toEqual({ rows: 1, texts: 1 })
    await owner(deleteWorkspace, { params })
    await service.database.many(sql`delete from workspaces.workspaces where id = ${workspaceId}`)
    expect(await countRows(workspaceId)).toEqual({ rows: 0, texts: 0 })
  })
})
