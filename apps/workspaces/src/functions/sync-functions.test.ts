import {
  deleteWorkspace,
  type FunctionInput,
  functionCreated,
  functionDeleted,
  functionUpdated,
  getFunction,
  listFunctions,
  putFunction,
  restoreWorkspace,
  syncFunctions,
} from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces({ FUNCTIONS_PER_WORKSPACE_MAX: '3', FUNCTION_MAX_BYTES: '2000' })
})
afterAll(() => service[Symbol.asyncDispose]())

const one = (name: string, code = 'return 1'): FunctionInput => ({ name, language: 'js', code })

async function newFunctions(functions: FunctionInput[] = []) {
  const made = await service.newWorkspace()
  const params = { workspaceId: made.workspace.id }
  const sync = (next: FunctionInput[]) => made.owner(syncFunctions, { params, body: { functions: next } })
  if (functions.length > 0) await sync(functions)
  return { ...made, params, sync }
}

describe('POST /v2/functions/:workspaceId', () => {
  it('makes the functions be exactly these, answers what changed, and tells of it', async () => {
    const { workspace, owner, ownerId, params, sync } = await newFunctions()
    expect(await sync([one('a'), one('b'), one('c')])).toEqual({
      created: ['a', 'b', 'c'],
      updated: [],
      deleted: [],
      unchanged: [],
    })
    expect(await sync([one('b', 'return 2'), one('c')])).toEqual({
      created: [],
      updated: ['b'],
      deleted: ['a'],
      unchanged: ['c'],
    })
    const listed = await owner(listFunctions, { params, query: {} })
    expect(listed.map(({ name }) => name)).toEqual(['b', 'c'])
    const told = (await service.eventsOf(workspace.id)).filter(({ type }) =>
      type.startsWith('workspaces.functions.'),
    )
    expect(told.map(({ type, payload }) => [type, Object(payload).name])).toEqual([
      [functionCreated.type, 'a'],
      [functionCreated.type, 'b'],
      [functionCreated.type, 'c'],
      [functionUpdated.type, 'b'],
      [functionDeleted.type, 'a'],
    ])
    expect(told[3]?.payload).toMatchObject({ function: { language: 'javascript', code: 'return 2' } })
    const [entry] = await service.database.many<{ actor: string; details: string }>(sql`
      select actor, details from audit.entries where subject = ${`workspace:${workspace.id}`}
      order by sequence desc limit 1`)
    expect([entry?.actor, JSON.parse(entry?.details ?? '')]).toEqual([
      `user:${ownerId}`,
      { created: [], updated: ['b'], deleted: ['a'] },
    ])
  })

  it('changes nothing when one of them is refused', async () => {
    const { owner, params, sync } = await newFunctions([one('kept')])
    await expect(
      sync([one('next'), { ...one('bad'), parameters: { a: { type: 'text' } } }]),
    ).rejects.toMatchObject({
      name: 'InvalidFunction',
      status: 400,
      message: expect.stringMatching(/^The function "bad": parameters\.a\.type must be one of .*\.$/),
      details: [
        { function: 'bad', path: 'parameters.a.type', message: expect.stringContaining('must be one of') },
      ],
    })
    expect((await owner(listFunctions, { params, query: {} })).map(({ name }) => name)).toEqual(['kept'])
  })

  it.each<[string, unknown, string]>([
    ['a name that is no identifier', [one('a b')], 'RequestValidationError'],
    ['the name run', [one('run')], 'RequestValidationError'],
    ['a language that is not known', [{ ...one('a'), language: 'perl' }], 'RequestValidationError'],
    ['no code', [{ name: 'a', language: 'js' }], 'RequestValidationError'],
    ['a field that is not known', [{ ...one('a'), runtime: 1 }], 'RequestValidationError'],
    ['one name twice', [one('a'), one('a')], 'InvalidFunction'],
    ['too large a function', [one('a', `return "${'x'.repeat(2000)}"`)], 'PayloadTooLarge'],
    ['too many', ['a', 'b', 'c', 'd'].map((name) => one(name)), 'ForbiddenError'],
  ])('refuses %s', async (_, functions, name) => {
    const { sync } = await newFunctions()
    await expect(sync(functions as FunctionInput[])).rejects.toMatchObject({
      name,
      message: expect.stringMatching(/\.$/),
    })
  })

  it('is for those who may create, change and delete automations', async () => {
    const { workspace, params, sync } = await newFunctions()
    const body = { functions: [one('a')] }
    await service.makeEditor(workspace.id, 'edgar')
    expect(await service.as({ userId: 'edgar' })(syncFunctions, { params, body })).toMatchObject({
      created: ['a'],
    })
    await expect(service.as({ userId: 'stranger' })(syncFunctions, { params, body })).rejects.toMatchObject({
      status: 404,
    })
    await expect(service.nobody(syncFunctions, { params, body })).rejects.toMatchObject({ status: 401 })
    const missing = { workspaceId: 'a123456789012345' }
    await expect(
      service.as({ userId: 'edgar' })(syncFunctions, { params: missing, body }),
    ).rejects.toMatchObject({ status: 404 })
    expect((await sync([])).deleted).toEqual(['a'])
  })

  it('gives two callers at the same moment one after the other', async () => {
    const { owner, params, sync } = await newFunctions()
    const lists = ['a', 'b'].map((name) => [one(name), one('both', `return "${name}"`)])
    await Promise.all(lists.map(sync))
    const names = (await owner(listFunctions, { params, query: {} })).map(({ name }) => name)
    expect([
      ['a', 'both'],
      ['b', 'both'],
    ]).toContainEqual(names)
  })

  it('deletes and restores them with their workspace', async () => {
    const { owner, params } = await newFunctions([one('a')])
    const single = { ...params, functionName: 'a' }
    await owner(deleteWorkspace, { params })
    await expect(owner(getFunction, { params: single })).rejects.toMatchObject({ status: 404 })
    await owner(restoreWorkspace, { params })
    expect((await owner(getFunction, { params: single })).code).toBe('return 1')
  })
})

describe('what a function was', () => {
  it('is found at each revision of the workspace, beside what automations were', async () => {
    const { workspace, owner, params, sync } = await newFunctions([one('f', 'return 0')])
    const revisions: number[] = []
    const note = async () => {
      const [row] = await service.database.many<{ revision: number }>(
        sql`select revision from workspaces.changes where workspace_id = ${workspace.id}`,
      )
      revisions.push(row?.revision ?? 0)
    }
    await note()
    await owner(putFunction, {
      params: { ...params, functionName: 'f' },
      body: { language: 'js', code: 'return 1' },
    })
    await note()
    await sync([])
    await note()
    await sync([one('f', 'return 2')])
    await note()
    const codeAt = async (revision: number) => {
      const [row] = await service.database.many<{ code: string | null }>(sql`
        select code from (
          (select definition ->> 'code' as code from workspaces.recorded_definitions
           where workspace_id = ${workspace.id} and slug = 'function:f' and until_revision > ${revision}
           order by until_revision limit 1)
          union all
          select definition ->> 'code' from workspaces.live_functions
          where workspace_id = ${workspace.id} and name = 'f'
        ) found limit 1`)
      return row?.code
    }
    expect(await Promise.all(revisions.map(codeAt))).toEqual(['return 0', 'return 1', null, 'return 2'])
  })
})
