import { createHmac } from 'node:crypto'
import { sql } from '@platform/database'
import { createLogger } from '@platform/logging'
import { masterKeyRing } from '@platform/master-keys'
import { insertEvents } from '@platform/outbox'
import { userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { testKey } from '../../../test/modules.ts'
import { json, startOutside } from '../../../test/outside.ts'
import { emittedEvent, startRuntime, type TestRuntime } from '../../../test/testing.ts'
import { makeReference } from './references.ts'
import { sealContextOf } from './secret-parts.ts'
import { secretStore } from './secret-store.ts'
import { deleteExpiredSecrets, forgetSecretsOfDeleted, resealRunSecrets } from './secret-upkeep.ts'

const SOON = { timeout: 15_000, interval: 20 }
const CANARY = 'sk-canary/5f2b 91"é'
const lines: string[] = []

let runtime: TestRuntime
let outside: Awaited<ReturnType<typeof startOutside>>
beforeAll(async () => {
  outside = await startOutside(({ url, headers, text }, response) => {
    const answer = { seen: headers.authorization ?? '', text, all: `key ${CANARY}!` }
    if (url === '/token') return json(response, { access_token: 'token-of-the-canary' })
    if (!url.startsWith('/stream')) return json(response, answer, 400)
    const type = { 'content-type': 'text/event-stream', 'x-seen': 'plain-ascii-canary' }
    return response.writeHead(200, type).end(`data: ${JSON.stringify(answer)}\n\n`)
  })
  const log = createLogger({ level: 'trace', destination: { write: (line) => void lines.push(line) } })
  runtime = await startRuntime({ log, env: { FETCH_ALLOWED_HOSTS: '127.0.0.0/8', LOG_LEVEL: 'trace' } })
})
afterAll(async () => {
  await runtime[Symbol.asyncDispose]()
  await outside[Symbol.asyncDispose]()
})

const secret = (name: string, parameters: Record<string, unknown>, output = 'out') => ({
  run: {
    module: 'secrets',
    function: name,
    parameters: { name: 'key', scope: 'workspace', ...parameters },
    output,
  },
})

/** What steps answer at a URL trigger, called with a value in the body. */
async function answerOf(
  steps: Record<string, unknown>[],
  body: unknown = { value: CANARY },
  asNobody = false,
) {
  const workspace = await runtime.workspace({
    main: { when: { endpoint: true }, do: steps, output: '{{out}}' },
  })
  const call = (given = body, more: Record<string, string> = {}) =>
    runtime.call(workspace.id, 'main', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(asNobody ? {} : runtime.headersOf(ada)), ...more },
      body: JSON.stringify(given),
    })
  return { workspace, call, answer: (await (await call()).json()) as unknown }
}
const ada = userPrincipal({ userId: 'ada' })

const stored = (workspaceId: string) =>
  runtime.database.many<{ sealed: string; scope: string; owner: string; expires_at: Date | null }>(
    sql`select * from runtime.secrets where workspace_id = ${workspaceId}`,
  )

describe('secrets', () => {
  test('are kept sealed for their place, and answered as a reference', async () => {
    const { workspace, answer } = await answerOf([secret('set', { value: '{{body.value}}', ttl: 60 })])
    expect(answer).toMatch(/^\$secret:test\.[\w-]+\.$/)
    const [row] = await stored(workspace.id)
    expect(JSON.stringify(row)).not.toContain('canary')
    expect(row?.expires_at?.getTime()).toBeGreaterThan(Date.now() + 50_000)
    const place = { workspaceId: workspace.id, scope: 'workspace' as const, owner: '', name: 'key' }
    const keys = masterKeyRing([testKey('test', 7)])
    expect(keys.open(row?.sealed ?? '', sealContextOf(place))).toBe(CANARY)
    for (const moved of [
      { workspaceId: 'other' },
      { name: 'other' },
      { owner: 'ada', scope: 'user' as const },
    ])
      expect(() => keys.open(row?.sealed ?? '', sealContextOf({ ...place, ...moved }))).toThrow()
  })

  test('answer not_found and user_required, and are gone after delete', async () => {
    const steps = [
      secret('get', {}, 'out.none'),
      secret('set', { value: { a: 1 } }, 'set'),
      secret('get', {}, 'found'),
      secret('delete', {}, 'out.deleted'),
      secret('delete', {}, 'out.again'),
      secret('get', { scope: 'user' }, 'out.user'),
      secret('set', { scope: 'user', value: 'a' }, 'out.userSet'),
    ]
    const { answer } = await answerOf(steps, {}, true)
    expect(answer).toMatchObject({
      none: { error: 'not_found' },
      deleted: { deleted: true },
      again: { error: 'not_found' },
      user: { error: 'user_required' },
      userSet: { error: 'user_required' },
    })
  })

  test('of a user are for this user alone', async () => {
    const workspace = await runtime.workspace({
      put: { when: { endpoint: true }, do: [secret('set', { scope: 'user', value: 'mine' })] },
      get: { when: { endpoint: true }, do: [secret('get', { scope: 'user' })], output: '{{out}}' },
    })
    const callAs = async (slug: string, userId: string) => {
      const headers = runtime.headersOf(userPrincipal({ userId }))
      return (await (await runtime.call(workspace.id, slug, { headers })).json()) as unknown
    }
    await callAs('put', 'ada')
    expect(await callAs('get', 'ada')).toMatch(/^\$secret:/)
    expect(await callAs('get', 'eve')).toMatchObject({ error: 'not_found' })
  })
})

test('of the platform can be set, got and deleted by no automation, and are no secret of theirs', async () => {
  const refused = (name: string, parameters: Record<string, unknown> = {}) =>
    answerOf(
      [
        {
          try: {
            do: [secret(name, { name: '{{body.name}}', ...parameters })],
            catch: [{ set: { name: 'out', value: '{{$error.message}}' } }],
          },
        },
      ],
      { name: 'prismeai_ratelimit_disabled' },
    )
  for (const scope of ['workspace', 'user'])
    for (const name of ['set', 'get', 'delete']) {
      const { answer, workspace } = await refused(name, {
        scope,
        ...(name === 'set' ? { value: 'true' } : {}),
      })
      expect(answer).toContain('must not begin with prismeai_')
      expect(await stored(workspace.id)).toEqual([])
    }
  const workspace = await runtime.workspace({ main: { when: { endpoint: true }, output: '{{secret}}' } })
  await runtime.database.many(sql`
    insert into runtime.secrets (workspace_id, scope, name, sealed) values
      (${workspace.id}, 'system', 'prismeai_ratelimit_emits', 'x'), (${workspace.id}, 'workspace', 'prismeai_a', 'x'),
      (${workspace.id}, 'workspace', 'b', 'x')`)
  const seen = (await (await runtime.call(workspace.id, 'main')).json()) as object
  await runtime.database.many(sql`delete from runtime.secrets where workspace_id = ${workspace.id}`)
  expect(Object.keys(seen)).toEqual(['b'])
})

/** Sends `body.value` outside, and answers what went wrong. */
const sendsBody = () => [
  {
    fetch: {
      url: outside.url,
      method: 'post',
      headers: { 'content-type': 'text/plain' },
      body: '{{body.value}}',
      output: 'got',
    },
  },
  { set: { name: 'out', value: '{{got.error}}' } },
]

test('of the platform stand behind no reference', async () => {
  const { workspace, call } = await answerOf(sendsBody())
  const got = outside.got.length
  const keys = masterKeyRing([testKey('test', 7)])
  for (const scope of ['system', 'workspace'] as const) {
    const place = { workspaceId: workspace.id, scope, owner: '', name: 'prismeai_ratelimit_emits' }
    await runtime.database.many(sql`
      insert into runtime.secrets (workspace_id, scope, name, sealed)
      values (${workspace.id}, ${scope}, ${place.name}, ${keys.seal('canary', sealContextOf(place))})`)
    const headers = { 'x-correlation-id': 'correlation-of-the-test' }
    const reference = makeReference(keys, place, 'correlation-of-the-test', new Date())
    const answer = await (await call({ value: reference }, headers)).json()
    expect(answer).toMatchObject({ message: expect.stringContaining('is not there any more') })
  }
  expect(outside.got.length).toBe(got)
})

describe('a reference', () => {
  const use = (extra: Record<string, unknown> = {}) => ({
    fetch: {
      url: `${outside.url}/at/{{out}}?raw={{out}}`,
      method: 'post',
      query: { key: '{{out}}' },
      headers: { Authorization: 'Bearer {{ascii}}' },
      body: { key: '{{out}}', more: ['x{{out}}y'] },
      output: 'got',
      ...extra,
    },
  })

  test('is there for each secret of the workspace as secret, which nobody can set', async () => {
    const got = outside.got.length
    const { answer, workspace } = await answerOf([
      secret('set', { name: 'ascii', value: 'plain-ascii-canary' }, 'ignored'),
      secret('set', { name: 'mine', scope: 'user', value: 'of-a-user' }, 'ignored'),
      { set: { name: 'out', value: 1 } },
    ])
    expect(answer).toBe(1)
    await workspace.save({
      main: {
        when: { endpoint: true },
        do: [
          {
            fetch: {
              url: outside.url,
              headers: { Authorization: 'Bearer {{secret.ascii}}' },
              outputMode: 'body',
              output: 'got',
            },
          },
        ],
        output: ['{{secret.ascii}}', '{{secret.mine}}', '{{secret.other}}'],
      },
      change: { when: { endpoint: true }, do: [{ set: { name: 'secret.ascii', value: 'x' } }] },
    })
    const read = (await (await runtime.call(workspace.id, 'main')).json()) as unknown
    expect(read).toEqual([expect.stringMatching(/^\$secret:test\.[\w-]+\.$/), null, null])
    expect(outside.got.slice(got).map(({ headers }) => headers.authorization)).toEqual([
      'Bearer plain-ascii-canary',
    ])
    expect((await runtime.call(workspace.id, 'change')).status).toBe(400)
  })

  test('is there in the run that sets the secret, from there on, and not behind its deletion', async () => {
    const got = outside.got.length
    const read = (at: string) => ({ set: { name: `out.${at}`, value: '{{secret.key}}' } })
    const workspace = await runtime.workspace({
      main: {
        when: { endpoint: true },
        do: [
          read('before'),
          secret('set', { value: 'first-canary' }, 'x'),
          secret('set', { scope: 'user', name: 'mine', value: 'of-a-user' }, 'x'),
          read('set'),
          { fetch: { url: outside.url, method: 'post', body: '{{secret.key}}' } },
          { called: {} },
          secret('delete', {}, 'x'),
          read('deleted'),
          { set: { name: 'out.mine', value: '{{secret.mine}}' } },
        ],
        output: '{{out}}',
      },
      called: { do: [{ fetch: { url: outside.url, method: 'post', body: 'called {{secret.key}}' } }] },
    })
    const headers = runtime.headersOf(ada)
    const answer = (await (await runtime.call(workspace.id, 'main', { headers })).json()) as unknown
    expect(answer).toEqual({ set: expect.stringMatching(/^\$secret:/) })
    const texts = outside.got.slice(got).map(({ text }) => text)
    expect(texts).toEqual(['first-canary', 'called first-canary'])
  })

  test('becomes the value where the request leaves, and nowhere else', async () => {
    const got = outside.got.length
    const steps = [
      secret('set', { name: 'ascii', value: 'plain-ascii-canary' }, 'ascii'),
      secret('set', { value: '{{body.value}}' }),
      use(),
      { emit: { event: 'told', payload: { got: '{{got}}', body: '{{body}}' } } },
      { set: { name: 'global.kept', value: '{{got}}' } },
      { set: { name: 'out', value: '{{got}}' } },
    ]
    const { workspace, answer } = await answerOf(steps)
    const [sent] = outside.got.slice(got)
    const encoded = encodeURIComponent(CANARY)
    expect(sent?.url).toBe(`/at/${encoded}?raw=${encoded}&key=${encoded}`)
    expect(sent?.headers.authorization).toBe('Bearer plain-ascii-canary')
    expect(JSON.parse(sent?.text ?? '')).toEqual({ key: CANARY, more: [`x${CANARY}y`] })
    expect(answer).toMatchObject({
      seen: expect.stringMatching(/^Bearer \$secret:/),
      all: expect.stringMatching(/^key \$secret:.+!$/),
    })
    const events = await runtime.events(workspace.id)
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['told', 'runtime.fetch.failed', 'runtime.automations.executed']),
    )
    const shown = [...events.map(({ payload }) => payload), answer, await stored(workspace.id), ...lines]
    const runs = await runtime.database.many(
      sql`select * from runtime.runs where workspace_id = ${workspace.id}`,
    )
    const contexts = await runtime.database.many(
      sql`select * from runtime.contexts where workspace_id = ${workspace.id}`,
    )
    for (const text of [...shown, ...runs, ...contexts].map((one) => JSON.stringify(one)))
      expect(text).not.toContain('canary')
  })

  test('is concealed where a stream repeats it', async () => {
    const { answer, workspace } = await answerOf([
      secret('set', { name: 'ascii', value: 'plain-ascii-canary' }, 'ascii'),
      {
        fetch: {
          url: `${outside.url}/stream`,
          headers: { authorization: 'Bearer {{ascii}}' },
          output: 'got',
        },
      },
      { repeat: { on: '{{got.body}}', do: [{ set: { name: 'items[]', value: '{{item}}' } }] } },
      { set: { name: 'out', value: { items: '{{items}}', headers: '{{got.headers}}' } } },
      { emit: { event: 'told', payload: '{{out}}' } },
    ])
    expect(answer).toMatchObject({
      items: [{ chunk: { data: [{ seen: expect.stringMatching(/^Bearer \$secret:/) }] } }],
      headers: { 'x-seen': expect.stringMatching(/^\$secret:/) },
    })
    const shown = [answer, ...(await runtime.events(workspace.id))].map((one) => JSON.stringify(one))
    for (const text of shown) expect(text).not.toContain('plain-ascii-canary')
  })

  test.each([
    ['basic', { user: 'u', password: '{{key}}' }, Buffer.from('u:plain-ascii-canary').toString('base64')],
    ['oauth2', { tokenUrl: '$outside/token', clientId: 'c', clientSecret: '{{key}}' }, 'token-of-the-canary'],
  ])('is concealed where an answer repeats what %s made of it', async (kind, fields, made) => {
    const auth = JSON.parse(JSON.stringify({ [kind]: fields }).replace('$outside', outside.url))
    const asked = { url: outside.url, method: 'post', auth, body: '{{key}}' }
    const { answer, workspace } = await answerOf([
      secret('set', { value: 'plain-ascii-canary' }, 'key'),
      { fetch: { ...asked, output: 'out.body' } },
      { fetch: { ...asked, outputMode: 'base64', output: 'out.bytes' } },
      { emit: { event: 'told', payload: '{{out}}' } },
    ])
    expect(outside.got.at(-1)?.headers.authorization).toContain(made)
    expect(answer).toMatchObject({ body: { seen: expect.stringMatching(/^(Basic|Bearer) REDACTED$/) } })
    const bytes = Buffer.from((answer as { bytes: string }).bytes, 'base64').toString()
    const shown = [bytes, answer, ...(await runtime.events(workspace.id)), ...lines]
    for (const text of shown.map((one) => JSON.stringify(one))) {
      expect(text).not.toContain(made)
      expect(text).not.toContain('plain-ascii-canary')
    }
  })

  test('is the whole body as it is, also where it stands for an object', async () => {
    const got = outside.got.length
    const type = { 'content-type': 'application/json' }
    await answerOf([
      secret('set', { value: { a: 'b"c' } }, 'out'),
      use({ headers: type, body: '{{out}}' }),
      use({ headers: type, body: '{"in":"{{out}}"}' }),
    ])
    const [whole, within] = outside.got.slice(got).map(({ text }) => JSON.parse(text))
    expect([whole, within]).toEqual([{ a: 'b"c' }, { in: '{"a":"b\\"c"}' }])
  })

  test('is put into forms and texts as they are written, and may be set as another secret', async () => {
    const got = outside.got.length
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: { a: '{{out}}' } }
    const copy = [
      secret('set', { value: '{{body.value}}' }),
      use(form),
      use({ headers: {}, body: 'text {{out}}' }),
      secret('set', { name: 'copy', value: '{{out}}' }, 'copied'),
      use({ headers: {}, body: 'copy {{copied}}' }),
    ]
    await answerOf(copy)
    const texts = outside.got.slice(got).map(({ text }) => text)
    expect(texts).toEqual([`a=${encodeURIComponent(CANARY)}`, `text ${CANARY}`, `copy ${CANARY}`])
  })

  test('can not be written by somebody, counts for its run and workspace, and not for long', async () => {
    const got = outside.got.length
    const forged = `$secret:test.${'A'.repeat(60)}.`
    const { workspace, call } = await answerOf(sendsBody(), { value: forged })
    expect(outside.got.slice(got).map(({ text }) => text)).toEqual([forged])
    const place = { workspaceId: workspace.id, scope: 'workspace' as const, owner: '', name: 'key' }
    const keys = masterKeyRing([testKey('test', 7)])
    const whole = makeReference(keys, place, 'another run', new Date())
    expect(await (await call({ value: whole })).json()).toMatchObject({
      message: expect.stringContaining('only where it was asked for'),
    })
    const correlation = { 'x-correlation-id': 'known-to-the-test' }
    const callWith = async (reference: string) =>
      (await (
        await runtime.call(workspace.id, 'main', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...correlation },
          body: JSON.stringify({ value: reference }),
        })
      ).json()) as unknown
    const old = makeReference(keys, place, 'known-to-the-test', new Date(Date.now() - 16 * 60_000))
    const gone = makeReference(keys, place, 'known-to-the-test', new Date())
    expect(await callWith(gone)).toMatchObject({
      name: 'SecretsError',
      message: expect.stringContaining('set it again'),
    })
    expect(await callWith(old)).toMatchObject({ message: expect.stringContaining('is too old') })
    expect(outside.got.slice(got)).toHaveLength(1)
  })

  test('is kept with a run that may be done again, and one write of it is made', async () => {
    const workspace = await runtime.workspace({
      main: {
        when: { events: ['go'] },
        do: [
          secret('set', { value: 'journaled-canary' }),
          use({ headers: {} }),
          { emit: { event: 'after' } },
        ],
      },
    })
    await runtime.database.many(insertEvents([emittedEvent(workspace.id, 'go')]))
    await vi.waitFor(async () => expect(await runtime.events(workspace.id, 'after')).toHaveLength(1), SOON)
    const effects = await runtime.database.many(
      sql`
        select e.answer from runtime.module_effects e join runtime.runs r on r.id = e.run_id
        where r.workspace_id = ${workspace.id}`,
    )
    expect(effects).toEqual([{ answer: true }])
    const journal = await runtime.database.many(sql`select j.* from runtime.journal j`)
    expect(JSON.stringify(journal)).not.toContain('journaled-canary')
  })
})

describe('a function of crypto', () => {
  const crypto = (name: string, parameters: Record<string, unknown>, output: string) => ({
    run: { module: 'crypto', function: name, parameters, output },
  })
  const compares = (data: unknown) => [
    secret('set', { value: CANARY }, 'mine'),
    crypto('equals', { data, expected: '{{mine}}' }, 'out.isSame'),
    crypto('hmac', { key: '{{mine}}', data: 'text' }, 'out.signature'),
    crypto('hmac', { key: 'v1{{mine}}', data: 'text' }, 'out.derived'),
    crypto('hmac', { key: 'a', data: '{{mine}}' }, 'out.overReference'),
  ]

  test('signs and compares with the value, which nothing shows', async () => {
    const { answer, workspace } = await answerOf(compares('{{body.value}}'))
    const signature = (key: string) => createHmac('sha256', key).update('text').digest('hex')
    expect(answer).toMatchObject({
      isSame: true,
      signature: signature(CANARY),
      derived: signature(`v1${CANARY}`),
      overReference: expect.not.stringMatching(createHmac('sha256', 'a').update(CANARY).digest('hex')),
    })
    const shown = [...(await runtime.events(workspace.id)), ...lines]
    for (const text of shown.map((one) => JSON.stringify(one))) expect(text).not.toContain('canary')
  })

  test.each([['{{body.none}}'], ['{{body}}'], [CANARY.slice(0, -1)], [`${CANARY} `], [''], ['{{mine}}']])(
    'takes %j for something else',
    async (data) => expect((await answerOf(compares(data))).answer).toMatchObject({ isSame: false }),
  )

  test('takes a reference that does not count for none', async () => {
    const { call } = await answerOf([crypto('equals', { data: 'a', expected: '{{body.value}}' }, 'out')], {})
    const keys = masterKeyRing([testKey('test', 7)])
    const place = { workspaceId: 'another', scope: 'workspace' as const, owner: '', name: 'key' }
    const reference = makeReference(keys, place, 'another run', new Date())
    const answer = await call({ value: reference })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ message: expect.stringContaining('only where it was asked for') }),
    ])
    expect((await call({ value: '' })).status).toBe(400)
  })

  test('is kept with a run that may be done again, and the value is not', async () => {
    const workspace = await runtime.workspace({
      main: {
        when: { events: ['sign'] },
        do: [
          secret('set', { value: 'kept-canary' }),
          crypto('hmac', { key: '{{out}}', data: 'text' }, 'signature'),
          { emit: { event: 'signed', payload: { signature: '{{signature}}' } } },
        ],
      },
    })
    await runtime.database.many(insertEvents([emittedEvent(workspace.id, 'sign')]))
    await vi.waitFor(async () => expect(await runtime.events(workspace.id, 'signed')).toHaveLength(1), SOON)
    const journal = JSON.stringify(await runtime.database.many(sql`select j.* from runtime.journal j`))
    expect(journal).not.toContain('kept-canary')
  })
})

describe('what is kept', () => {
  test('is sealed again by a new master key, ends with its time, and goes with its workspace', async () => {
    const { workspace } = await answerOf([
      secret('set', { value: 'a' }),
      secret('set', { name: 'short', value: 'b', ttl: 1 }, 'x'),
    ])
    const masterKeys = masterKeyRing([testKey('next', 1), testKey('test', 7)])
    const signal = new AbortController().signal
    await resealRunSecrets({ database: runtime.database, masterKeys }).run(signal)
    const alone = masterKeyRing([testKey('next', 1)])
    const place = { workspaceId: workspace.id, scope: 'workspace' as const, owner: '', name: 'key' }
    const secrets = secretStore(runtime.database)
    expect(alone.open((await secrets.find(place)) ?? '', sealContextOf(place))).toBe('a')
    await runtime.database.many(
      sql`update runtime.secrets set expires_at = now() - interval '1 s' where name = 'short'`,
    )
    expect(await secrets.find({ ...place, name: 'short' })).toBeUndefined()
    await deleteExpiredSecrets({ secrets }).run(signal)
    expect(await stored(workspace.id)).toHaveLength(1)
    const forget = (keptDays: number) =>
      forgetSecretsOfDeleted({ secrets, clock: { now: () => new Date() }, keptDays }).run(signal)
    await runtime.database.many(
      sql`update permissions.workspaces set deleted_at = now() - interval '2 days' where id = ${workspace.id}`,
    )
    await forget(30)
    expect(await stored(workspace.id)).toHaveLength(1)
    await forget(1)
    expect(await stored(workspace.id)).toEqual([])
  })
})
