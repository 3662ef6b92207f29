import {
  automationCreated,
  createAutomation,
  deleteWorkspace,
  getAutomation,
  patchAutomation,
  restoreWorkspace,
} from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

const definition = {
  slug: 'v1/greet',
  name: 'API/Greet',
  when: { endpoint: true },
  arguments: null,
  do: [
    { conditions: { '{{b}}': [{ set: { name: 'x', value: 1 } }], '{{a}}': [], default: [{ break: {} }] } },
  ],
  output: '{{x}}',
}

/** Saves a text as it is. */
async function save(workspaceId: string, userId: string, text: string, type = 'application/yaml') {
  const path = `/v2/workspaces/${workspaceId}/automations`
  const headers = { 'content-type': type }
  const response = await service.send(path, { method: 'POST', userId, headers, body: text })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('POST /v2/workspaces/:workspaceId/automations', () => {
  it('saves JSON and answers it back as it was, key order and empty arguments included', async () => {
    const { workspace, owner, ownerId } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const created = await owner(createAutomation, { params, body: definition })
    expect(created).toMatchObject({ ...definition, createdBy: ownerId, updatedBy: ownerId })
    expect(created.checksum).toMatch(/^[0-9a-f]{64}$/)
    const read = await owner(getAutomation, { params: { ...params, automationSlug: 'v1/greet' } })
    expect(read).toEqual(created)
    expect(JSON.stringify(read.do)).toBe(JSON.stringify(definition.do))
  })

  it.each(['application/yaml', 'text/yaml; charset=utf-8', 'application/x-yaml'])(
    'saves YAML sent as %s',
    async (type) => {
      const { workspace, ownerId } = await service.newWorkspace()
      const saved = await save(
        workspace.id,
        ownerId,
        'name: Yes\nprivate: true\ndo:\n- set: { name: on, value: yes }\n',
        type,
      )
      expect(saved.status).toBe(200)
      expect(saved.body).toMatchObject({
        slug: 'Yes',
        private: true,
        do: [{ set: { name: 'on', value: 'yes' } }],
      })
    },
  )

  it.each([
    ['Création très longue d’un nom', 'Creation tres longue'],
    ['api/users/Sign in!', 'Sign in'],
    ['///', 'automation'],
    ['日本', 'automation'],
  ])('names the automation %j with the slug %j, then with -1 and -2', async (name, slug) => {
    const { workspace, owner } = await service.newWorkspace()
    const create = () =>
      owner(createAutomation, { params: { workspaceId: workspace.id }, body: { name, do: [] } })
    expect((await create()).slug).toBe(slug)
    expect((await create()).slug).toBe(`${slug}-1`)
    expect((await create()).slug).toBe(`${slug}-2`)
  })

  it('takes the name in English, else in the first language, and the slug where there is none', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const create = (body: object) =>
      owner(createAutomation, { params: { workspaceId: workspace.id }, body: body as never })
    expect((await create({ name: { fr: 'Bonjour', en: 'Good day' }, do: [] })).slug).toBe('Good day')
    expect((await create({ name: { fr: 'Bonjour' }, do: [] })).slug).toBe('Bonjour')
    expect(await create({ slug: 'only-slug', output: 1 })).toMatchObject({
      slug: 'only-slug',
      name: 'only-slug',
    })
  })

  it('gives parallel creates of one name different slugs', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const create = () =>
      owner(createAutomation, { params: { workspaceId: workspace.id }, body: { name: 'Same', do: [] } })
    const slugs = (await Promise.all(Array.from({ length: 6 }, create))).map(({ slug }) => slug)
    expect(slugs.sort()).toEqual(['Same', 'Same-1', 'Same-2', 'Same-3', 'Same-4', 'Same-5'])
  })

  it('lets exactly one of ten callers have a slug', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const body = { slug: 'one', name: 'One', do: [] }
    const create = () => owner(createAutomation, { params: { workspaceId: workspace.id }, body })
    const results = await Promise.allSettled(Array.from({ length: 10 }, create))
    const reasons = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as Error] : [],
    )
    expect(reasons).toHaveLength(9)
    for (const reason of reasons) expect(reason).toMatchObject({ name: 'AlreadyUsed', status: 409 })
  })

  it('shows the runtime what starts it, whichever way it is saved', async () => {
    const { workspace, owner, ownerId } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    await owner(createAutomation, { params, body: { slug: 'plain', do: [] } })
    const body = { slug: 'a/b', when: { endpoint: true, events: ['x', 'y'] }, do: [] }
    await owner(createAutomation, { params, body })
    await save(
      workspace.id,
      ownerId,
      'slug: off\ndisabled: true\nwhen: { endpoint: "/u/:id", events: [] }\ndo: []',
    )
    const rows = await service.database.many(sql`
      select slug, endpoint, events, disabled, definition ->> 'name' as name
      from workspaces.live_automations where workspace_id = ${workspace.id} order by created_at, slug`)
    expect(rows).toEqual([
      { slug: 'plain', endpoint: null, events: null, disabled: false, name: 'plain' },
      { slug: 'a/b', endpoint: 'a/b', events: ['x', 'y'], disabled: false, name: 'a/b' },
      { slug: 'off', endpoint: '/u/:id', events: [], disabled: true, name: 'off' },
    ])
    await owner(patchAutomation, {
      params: { ...params, automationSlug: 'a/b' },
      body: { disabled: true, when: { events: ['z'] } },
    })
    const once = { slug: 'once', when: { endpoint: { path: 'pay/:id', idempotent: true } }, do: [] }
    await owner(createAutomation, { params, body: once })
    const [saved] = await service.database.many(sql`
      select endpoint from workspaces.live_automations where workspace_id = ${workspace.id} and slug = 'once'`)
    expect(saved).toEqual({ endpoint: 'pay/:id' })
    const [patched] = await service.database.many(sql`
      select endpoint, events, disabled from workspaces.live_automations
      where workspace_id = ${workspace.id} and slug = 'a/b'`)
    expect(patched).toEqual({ endpoint: null, events: ['z'], disabled: true })
  })

  it('shows the runtime when it starts by itself, until its workspace is in the trash', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const schedules = [
      '0 9 * * mon',
      { cron: '30 2 * * *', timezone: 'Europe/Paris', missed: 'skip' as const },
    ]
    await owner(createAutomation, { params, body: { slug: 'report', when: { schedules }, do: [] } })
    await owner(createAutomation, {
      params,
      body: { slug: 'off', disabled: true, when: { schedules: ['0 9 * * *'] }, do: [] },
    })
    await owner(createAutomation, { params, body: { slug: 'none', when: { schedules: [] }, do: [] } })
    const listed = () =>
      service.database.many(sql`
        select automation_slug as slug, position, cron, timezone, missed, disabled from workspaces.live_schedules
        where workspace_id = ${workspace.id} order by slug desc, position`)
    expect(await listed()).toEqual([
      { slug: 'report', position: 0, cron: '0 9 * * mon', timezone: 'UTC', missed: 'once', disabled: false },
      {
        slug: 'report',
        position: 1,
        cron: '30 2 * * *',
        timezone: 'Europe/Paris',
        missed: 'skip',
        disabled: false,
      },
      { slug: 'off', position: 0, cron: '0 9 * * *', timezone: 'UTC', missed: 'once', disabled: true },
    ])
    await owner(deleteWorkspace, { params })
    expect(await listed()).toEqual([])
    await owner(restoreWorkspace, { params })
    expect(await listed()).toHaveLength(3)
  })

  it('shows the priorities of automations to the runtime, and names what can be none', async () => {
    const { workspace, owner, ownerId } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    await owner(createAutomation, { params, body: { slug: 'first', priority: 100, do: [] } })
    await owner(createAutomation, { params, body: { slug: 'plain', do: [] } })
    const listed = () =>
      service.database.many(sql`
        select automation_slug as slug, priority from workspaces.live_priorities
        where workspace_id = ${workspace.id} order by slug`)
    expect(await listed()).toEqual([{ slug: 'first', priority: 100 }])
    await owner(patchAutomation, { params: { ...params, automationSlug: 'first' }, body: { priority: -7 } })
    expect(await listed()).toEqual([{ slug: 'first', priority: -7 }])

    const refused = await save(workspace.id, ownerId, 'slug: a\npriority: 101\ndo: []')
    expect(refused.body).toMatchObject({
      error: 'InvalidAutomation',
      details: [{ line: 2, message: expect.stringContaining('is too large: at most 100') }],
    })
    await service.database.many(sql`
      update workspaces.automations set index_entry = jsonb_set(index_entry::jsonb, '{priority}', '"high"')::json
      where workspace_id = ${workspace.id}`)
    expect(await listed()).toEqual([])
  })

  it.each([
    ['3600', '*/30 * * * *', 'at most every 60 minutes, for example 0 * * * *'],
    ['60', undefined, undefined],
  ])('takes schedules as often as SCHEDULES_MIN_INTERVAL of %s s says', async (seconds, refused, message) => {
    await using other = await startWorkspaces({ SCHEDULES_MIN_INTERVAL: seconds })
    const { workspace, owner } = await other.newWorkspace()
    const create = (schedule: string) =>
      owner(createAutomation, {
        params: { workspaceId: workspace.id },
        body: { when: { schedules: [schedule] }, do: [] },
      })
    await create(refused === undefined ? '* * * * *' : '0 * * * *')
    if (refused === undefined) return
    await expect(create(refused)).rejects.toMatchObject({
      name: 'InvalidAutomation',
      message: expect.stringContaining(message ?? ''),
    })
  })

  it('reaches the runtime: the definition, the revision and the event', async () => {
    const { workspace, owner, ownerId } = await service.newWorkspace()
    await owner(createAutomation, { params: { workspaceId: workspace.id }, body: definition })
    const [live] = await service.database.many(
      sql`select * from workspaces.live_definitions where workspace_id = ${workspace.id}`,
    )
    expect(live).toMatchObject({
      workspace_slug: workspace.slug,
      workspace_name: workspace.name,
      config: null,
      revision: 2,
      automations: { 'v1/greet': definition },
    })
    const event = (await service.eventsOf(workspace.id)).at(-1)
    expect(event).toMatchObject({
      type: automationCreated.type,
      payload: { slug: 'v1/greet', automation: definition },
    })
    expect(event?.source).toMatchObject({ userId: ownerId, workspaceId: workspace.id })
  })

  it('saves an automation that is too large for an event and only names it there', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const text = 'é'.repeat(150_000)
    const body = { name: 'Large', do: [{ set: { name: 'text', value: text } }] }
    const created = await owner(createAutomation, { params: { workspaceId: workspace.id }, body })
    expect(created.do).toEqual(body.do)
    const event = (await service.eventsOf(workspace.id)).at(-1)
    const size = JSON.stringify({ ...body, slug: 'Large' }).length
    expect(event?.payload).toEqual({
      slug: 'Large',
      automation: { slug: 'Large', name: 'Large', truncated: true, size },
    })
  })

  it('accepts its own answer again', async () => {
    const [first, second] = [await service.newWorkspace(), await service.newWorkspace()]
    const created = await first.owner(createAutomation, {
      params: { workspaceId: first.workspace.id },
      body: definition,
    })
    const again = await second.owner(createAutomation, {
      params: { workspaceId: second.workspace.id },
      body: created as never,
    })
    expect(again.checksum).toBe(created.checksum)
  })

  it('warns of calls to nobody and of a URL that is taken, but not of apps', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const first = {
      slug: 'a',
      when: { endpoint: 'users/:id' },
      do: [{ b: {} }, { 'App.b': {} }, { all: [{ a: {} }] }],
    }
    const { warnings } = await owner(createAutomation, { params, body: first })
    expect(warnings).toEqual([{ path: 'do[0].b', message: expect.stringContaining('"b"') }])
    const second = { slug: 'b', when: { endpoint: '/users/:name' }, do: [{ runWorkflow: { workflow: 'a' } }] }
    const elsewhere = { slug: 'c', do: [{ runWorkflow: { workspace: 'of-others', workflow: 'theirs' } }] }
    expect(await owner(createAutomation, { params, body: elsewhere })).not.toHaveProperty('warnings')
    const taken = [{ path: 'when.endpoint', message: expect.stringContaining('"a"') }]
    expect((await owner(createAutomation, { params, body: second })).warnings).toEqual(taken)
  })

  it('answers what can’t run yet as warnings, which are no part of the automation', async () => {
    const { workspace, owner, ownerId } = await service.newWorkspace()
    const saved = await save(
      workspace.id,
      ownerId,
      'slug: soon\ndo:\n- run: { module: accessManager, function: checkAccess }\n',
    )
    expect(saved.status).toBe(200)
    expect(saved.body.warnings).toEqual([
      { path: 'do[0].run', message: expect.stringContaining('accessManager') },
    ])
    const params = { workspaceId: workspace.id, automationSlug: 'soon' }
    expect(await owner(getAutomation, { params })).not.toHaveProperty('warnings')
  })

  it.each([
    ['a syntax error', '{"do": [],\n"name": }'],
    ['a key twice', '{"do": [],\n"name": "a", "name": "b"}'],
    ['a prototype key', '{"do": [],\n"__proto__": {}}'],
    ['a NUL character', '{"do": [],\n"output": "\\u0000"}'],
    ['too many levels', `{"do": [],\n"output": ${'['.repeat(64)}${']'.repeat(64)}}`],
  ])('refuses JSON with %s with its place', async (_, text) => {
    const { workspace, ownerId } = await service.newWorkspace()
    const { status, body } = await save(workspace.id, ownerId, text, 'application/json')
    expect(status).toBe(400)
    expect(body).toMatchObject({
      error: 'InvalidAutomation',
      details: [
        {
          line: 2,
          column: expect.any(Number),
          path: expect.any(String),
          message: expect.stringMatching(/\.$/),
        },
      ],
    })
  })

  it('refuses callers without a credential, strangers and missing workspaces', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const [params, body] = [{ workspaceId: workspace.id }, { name: 'x', do: [] }]
    await expect(service.nobody(createAutomation, { params, body })).rejects.toMatchObject({ status: 401 })
    const stranger = service.as({ userId: 'stranger' })
    await expect(stranger(createAutomation, { params, body })).rejects.toMatchObject({ status: 404 })
    const missing = { workspaceId: newWorkspaceId() }
    await expect(owner(createAutomation, { params: missing, body })).rejects.toMatchObject({ status: 404 })
    await service.makeEditor(workspace.id, 'edgar')
    expect((await service.as({ userId: 'edgar' })(createAutomation, { params, body })).createdBy).toBe(
      'edgar',
    )
  })
})
