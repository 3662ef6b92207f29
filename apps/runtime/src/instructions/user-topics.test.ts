import { sql } from '@platform/database'
import { userTopicStore } from '@platform/permissions'
import { userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRuntime, type TestRuntime } from '../../test/testing.ts'

const ada = userPrincipal({ userId: 'ada' })

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime({ env: { USER_TOPICS_MAX: '2', USER_TOPIC_MEMBERS_MAX: '3' } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const create = (topic: unknown, userIds?: unknown) => ({ createUserTopic: { topic, userIds } })
const join = (topic: unknown, more: Record<string, unknown> = {}) => ({ joinUserTopic: { topic, ...more } })

/** Runs steps at a URL trigger in a workspace of its own, or in one that is there. */
async function ran(steps: Record<string, unknown>[], { more = {}, asNobody = false } = {}) {
  const workspace = await runtime.workspace({ main: { when: { endpoint: true }, do: steps, ...more } })
  const headers = asNobody ? {} : runtime.headersOf(ada)
  const answer = await runtime.call(workspace.id, 'main', { method: 'POST', headers })
  const events = await runtime.events(workspace.id)
  return {
    workspace,
    status: answer.status,
    answer: (await answer.json()) as { message?: string },
    told: events
      .filter(({ type }) => type.startsWith('events.userTopics.'))
      .map(({ type, payload, target }) => ({ type: type.slice(18), payload, target })),
    topicsOf: (userId: string) => userTopicStore(runtime.database).listTopics(workspace.id, userId),
  }
}

describe('a topic', () => {
  test('has those who are named and who join, each told of once and to themselves', async () => {
    const { told, status, topicsOf } = await ran([
      create('team', ['eve', 'eve']),
      create('team', ['eve', 'bob']),
      join('team'),
      join('team'),
    ])
    expect(status).toBe(200)
    expect(told).toEqual([
      { type: 'created', payload: { topic: 'team', userIds: ['eve'] }, target: { userTopic: 'team' } },
      { type: 'joined', payload: { topic: 'team', user: { id: 'bob' } }, target: { userId: 'bob' } },
      { type: 'joined', payload: { topic: 'team', user: { id: 'ada' } }, target: { userId: 'ada' } },
    ])
    for (const one of ['eve', 'bob', 'ada']) expect(await topicsOf(one)).toEqual(['team'])
  })

  test('is made by who joins it only where that is wanted', async () => {
    const { told, status, topicsOf } = await ran([
      {
        try: {
          do: [join('team')],
          catch: [{ emit: { event: 'caught', payload: { why: '{{$error.name}}' } } }],
        },
      },
      join('team', { create: true, userIds: ['bob'] }),
    ])
    expect([status, told.map(({ type }) => type)]).toEqual([200, ['created']])
    expect([await topicsOf('ada'), await topicsOf('bob')]).toEqual([[], ['team']])
  })

  test('is of its workspace alone', async () => {
    const first = await ran([create('team', ['eve'])])
    const second = await ran([create('team', ['bob'])])
    expect([await first.topicsOf('eve'), await first.topicsOf('bob')]).toEqual([['team'], []])
    expect([await second.topicsOf('eve'), await second.topicsOf('bob')]).toEqual([[], ['team']])
  })

  test.each([
    [[create('a'), create('b'), create('c')], 'The workspace has 2 topics already'],
    [[create('a', ['1', '2']), create('a', ['3', '4'])], 'The topic "a" may have 3 members'],
    [[create('a'.repeat(201))], 'The name of a topic must have 1 to 200 characters.'],
    [[create('{{none}}')], 'The name of a topic must have'],
    [[create('a', '{{run.automationSlug}}')], 'userIds must be a list of at most 1000 ids of users.'],
    [[create('a', [''])], 'userIds must be a list'],
    [[join('a')], 'There is no topic "a": make it with createUserTopic, or join it with create: true.'],
  ])('is refused beyond what may be: %j', async (steps, message) => {
    const { status, answer } = await ran(steps)
    expect(status).toBe(400)
    expect(answer.message).toContain(message)
  })

  test('needs names where the run acts for nobody', async () => {
    const { status, answer } = await ran([join('a', { create: true })], { asNobody: true })
    expect([status, answer.message]).toEqual([400, 'joinUserTopic needs userIds: the run acts for no user.'])
  })

  test('is made once by a run that is done again', async () => {
    const { workspace, told } = await ran([create('team', ['eve']), join('team')], {
      more: { durable: true },
    })
    expect(told.map(({ type }) => type)).toEqual(['created', 'joined'])
    const kept = await runtime.database.many(
      sql`select 1 from runtime.module_effects where answer ->> 'isNew' is not null and run_id in (
        select id from runtime.runs where workspace_id = ${workspace.id})`,
    )
    expect(kept).toHaveLength(2)
  })
})
