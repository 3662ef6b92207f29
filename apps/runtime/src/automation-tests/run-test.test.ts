import { describe, expect, test } from 'vitest'
import { runYaml, told } from '../../test/automation-tests.ts'

const greet = { output: 'Hello {{name}}' }

describe('a test of an automation', () => {
  test('takes three lines', async () => {
    const report = await runYaml(
      `automation: greet
arguments: { name: Ada }
expect: { output: Hello Ada }`,
      { greet },
    )
    expect(report).toMatchObject({ passed: 1, failed: 0, results: [{ name: 'greet', status: 'passed' }] })
  })

  test('says what is expected and what came', async () => {
    const text = `automation: order
expect: { output: { total: 10, lines: [{ n: 1 }] } }`
    expect(await told(text, { order: { output: { total: 9, lines: [{ n: 2 }], more: true } } })).toEqual([
      'output.total should be 10 and is 9.',
      'output.lines[0].n should be 1 and is 2.',
      'output.more is not expected.',
    ])
  })

  test('without expectations fails where the run fails, with the place', async () => {
    const { results } = await runYaml('automation: fails', { fails: { do: [{ missing: {} }] } })
    expect(results[0]).toMatchObject({
      status: 'failed',
      error: { error: 'ObjectNotFoundError', automationSlug: 'fails', instruction: 'do[0].missing' },
    })
    expect(results[0]?.differences[0]?.message).toContain('The run failed in fails at do[0].missing')
  })

  test('expects a failure by its name, or by what it has', async () => {
    const fails = { do: [{ missing: {} }] }
    expect(await told('automation: fails\nexpect: { error: ObjectNotFoundError }', { fails })).toEqual([])
    expect(
      await told('automation: fails\nexpect: { error: { message: { $regex: missing } } }', { fails }),
    ).toEqual([])
    expect(await told('automation: greet\nexpect: { error: ObjectNotFoundError }', { greet })).toEqual([
      'The run should fail and did not.',
    ])
  })

  test('names each of several, and what stands above them holds for all', async () => {
    const report = await runYaml(
      `automation: greet
arguments: { name: Ada }
tests:
  greets Ada: { expect: { output: Hello Ada } }
  greets Bob: { arguments: { name: Bob }, expect: { output: Hello Bob } }
  nothing is expected:`,
      { greet },
    )
    expect(report.results.map(({ name, status }) => [name, status])).toEqual([
      ['greets Ada', 'passed'],
      ['greets Bob', 'passed'],
      ['nothing is expected', 'passed'],
    ])
  })

  test.each([
    ['arguments: {}', 'The test does not say what it is of: begin it with automation, endpoint or event.'],
    ['automation: none', 'There is no automation "none" in this workspace.'],
    ['endpoint: none', 'No automation has the endpoint "none".'],
    ['event: none', 'No automation listens to the event "none".'],
    ['automation: off', 'The automation "off" is disabled.'],
    [
      '{ automation: greet, schedule: "61 * * * *" }',
      '"61 * * * *" is no cron of five fields that ever fires.',
    ],
    ['{ event: a, endpoint: b }', 'A test begins in one way, not with endpoint and event.'],
    ['{ automation: greet, contexts: { socket: { a: 1 } } }', 'The context socket is that of a connection'],
    ['{ automation: greet, user: null, contexts: { user: { a: 1 } } }', 'The context user is that of a user'],
  ])('that can not begin says why: %s', async (text, message) => {
    const [first] = await told(text, { greet, off: { disabled: true } })
    expect(first).toContain(message)
  })
})

describe('what is there before, and after', () => {
  const main = {
    do: [
      { set: { name: 'global.count', value: '{% {{global.count}} + 1 %}' } },
      { set: { name: 'user.last', value: '{{run.date}}' } },
      { delete: { name: 'session.draft' } },
    ],
    output: {
      user: '{{user.id}}',
      role: '{{user.role}}',
      session: '{{session.id}}',
      config: '{{config.shop}}',
      seen: '{{run.seen}}',
    },
  }

  test('are contexts, the user, the time and the configuration', async () => {
    const text = `automation: main
now: 2026-03-01T10:00:00Z
user: { id: ada, role: editor, session: s1 }
contexts:
  global: { count: 4 }
  session: { draft: x, kept: y }
  run: { seen: true }
  config: { shop: A }
expect:
  output: { user: ada, role: editor, session: s1, config: A, seen: true }
  contexts:
    global: { count: 5 }
    user: { last: 2026-03-01T10:00:00.000Z }
    session: { kept: y, draft: { $exists: false } }`
    expect(await told(text, { main })).toEqual([])
  })

  test('are changed in their parts', async () => {
    const parts = {
      do: [
        { set: { name: 'session.history[]', value: '{{q}}' } },
        { set: { name: 'user.shop.last', value: '{{q}}' } },
        { delete: { name: 'user.shop.first' } },
        { set: { name: 'global.counts', value: { b: 2 }, type: 'merge' } },
      ],
    }
    const text = `automation: parts
arguments: { q: pen }
contexts: { session: { history: [ink] }, user: { shop: { first: ink } }, global: { counts: { a: 1 } } }
expect:
  contexts:
    session: { history: [ink, pen] }
    user: { shop: { $exact: { last: pen } } }
    global: { counts: { a: 1, b: 2 } }`
    expect(await told(text, { parts })).toEqual([])
  })

  test('belong to nobody where the test says so', async () => {
    const text = `automation: main
user: null
expect: { output: { config: { $exists: false }, user: { $exists: false }, role: { $exists: false } } }`
    const output = { user: '{{user.id}}', role: '{{user.role}}' }
    expect(await told(text, { main: { output } })).toEqual([])
  })

  test('chance and ids come from the seed', async () => {
    const dice = { output: { n: '{% rand(1, 1000000) %}', id: '{% uuid() %}' } }
    const once = async (seed: string) =>
      (await runYaml(`automation: dice\nseed: ${seed}\nexpect: { output: 0 }`, { dice })).results[0]
        ?.differences[0]?.got
    const first = await once('a')
    expect(first).toMatchObject({ n: expect.any(Number), id: expect.any(String) })
    expect(await once('a')).toEqual(first)
    expect(await once('b')).not.toEqual(first)
  })
})

describe('collections', () => {
  const numbers = {
    do: [
      ...[1, 2, 3, 4].map((n) => ({
        run: { module: 'collections', function: 'create', parameters: { collection: 'made', data: { n } } },
      })),
      ...['given', 'made'].map((collection) => ({
        run: { module: 'collections', function: 'findMany', parameters: { collection }, output: collection },
      })),
    ],
    output: ['{{given}}', '{{made}}'],
  }

  test.each(['a', 'b', 'c'])(
    'have their records in the order in which these came, with the seed %s',
    async (seed) => {
      const text = `automation: numbers
seed: ${seed}
collections: { given: [{ n: 9 }, { n: 8 }, { n: 7 }] }
expect:
  output:
    - [{ $partial: { n: 9 } }, { $partial: { n: 8 } }, { $partial: { n: 7 } }]
    - [{ $partial: { n: 1 } }, { $partial: { n: 2 } }, { $partial: { n: 3 } }, { $partial: { n: 4 } }]
  collections: { given: [{ n: 9 }, { n: 8 }, { n: 7 }], made: [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }] }`
      expect(await told(text, { numbers })).toEqual([])
    },
  )

  test('have ids of the seed', async () => {
    const first = async (seed: string) => {
      const text = `automation: numbers\nseed: ${seed}\nexpect: { collections: { made: [{ id: none }, {}, {}, {}] } }`
      return (await runYaml(text, { numbers })).results[0]?.differences[0]?.got
    }
    expect(await first('a')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await first('a')).toBe(await first('a'))
    expect(await first('a')).not.toBe(await first('b'))
  })
})

describe('time', () => {
  test('is moved by waits, which take none', async () => {
    const slow = {
      do: [
        { wait: { timeout: '3d' } },
        { wait: { oneOf: [{ event: 'paid' }], timeout: '20h', output: 'paid' } },
      ],
      output: { at: '{{run.date}}', paid: '{{paid.payload.by}}' },
    }
    const startedAt = performance.now()
    const text = `automation: slow
now: 2026-01-01T00:00:00Z
expect: { output: { at: 2026-01-04T20:00:00.000Z } }`
    expect(await told(text, { slow })).toEqual([])
    expect(performance.now() - startedAt).toBePrompt(2000)
  })

  test('events come in at their time, and end waits that they are for', async () => {
    const waits = {
      do: [
        {
          wait: {
            oneOf: [{ event: 'paid', filters: { 'payload.order': '{{order}}' } }],
            timeout: '1d',
            output: 'paid',
          },
        },
      ],
      output: { by: '{{paid.payload.by}}', at: '{{run.date}}' },
    }
    const text = `automation: waits
now: 2026-01-01T00:00:00Z
arguments: { order: A1 }
later:
  - { after: 1h, event: paid, payload: { order: B2, by: Bob } }
  - { at: 2026-01-01T02:30:00Z, event: paid, payload: { order: A1, by: Ada } }
expect: { output: { by: Ada, at: 2026-01-01T02:30:00.000Z } }`
    expect(await told(text, { waits })).toEqual([])
  })

  test('comes to the next time of a schedule', async () => {
    const daily = { output: { at: '{{run.date}}', type: '{{run.trigger.type}}' } }
    const text = `automation: daily
schedule: 30 9 * * mon
now: 2026-01-01T00:00:00Z
expect: { output: { at: 2026-01-05T09:30:00.000Z, type: schedule } }`
    expect(await told(text, { daily })).toEqual([])
  })

  test('is what limits slide by', async () => {
    const limited = {
      do: [
        { rateLimit: { name: 'a', window: 60, limit: 1, consumer: 'x', break: false, output: 'first' } },
        { rateLimit: { name: 'a', window: 60, limit: 1, consumer: 'x', break: false, output: 'second' } },
        { wait: { timeout: 61 } },
        { rateLimit: { name: 'a', window: 60, limit: 1, consumer: 'x', break: false, output: 'third' } },
      ],
      output: ['{{first.ok}}', '{{second.ok}}', '{{third.ok}}'],
    }
    expect(await told('automation: limited\nexpect: { output: [true, false, true] }', { limited })).toEqual(
      [],
    )
  })
})

describe('events', () => {
  const shop = {
    do: [
      { emit: { event: 'order.placed', payload: { order: { id: 7, total: 10 } } } },
      { emit: { event: 'mail.sent', payload: { to: '{{to}}' } } },
    ],
  }

  test.each([
    ['[{ event: order.placed, payload: { order: { id: 7 } } }, mail.sent]', []],
    ['{ inAnyOrder: [mail.sent, order.placed] }', []],
    ['{ including: [{ event: mail.sent, payload: { to: { $any: string } } }] }', []],
    ['[mail.sent, order.placed]', ['events[0].event should be "mail.sent" and is "order.placed".']],
    ['[order.placed]', ['events should have one item and has 2.']],
    ['{ inAnyOrder: [order.placed] }', ['events has one that is not expected']],
    ['{ including: [order.paid] }', ['events[0] is missing: {"event":"order.paid"} is expected.']],
  ])('are expected as %s', async (events, messages) => {
    const got = await told(`automation: shop\narguments: { to: ada }\nexpect: { events: ${events} }`, {
      shop,
    })
    expect(got).toHaveLength(messages.length === 0 ? 0 : got.length)
    expect(got.length > 0).toBe(messages.length > 0)
    for (const message of messages) expect(got.join('\n')).toContain(message)
  })

  test('start the automations that listen to them only where the test follows', async () => {
    const automations = {
      shop,
      ship: {
        when: { events: ['order.placed'] },
        do: [{ emit: { event: 'shipped', payload: { id: '{{payload.order.id}}' } } }],
      },
    }
    const following = `automation: shop
follow: true
expect: { events: { including: [{ event: shipped, payload: { id: 7 } }] } }`
    expect(await told(following, automations)).toEqual([])
    const alone = `automation: shop
expect: { events: [order.placed, mail.sent] }`
    expect(await told(alone, automations)).toEqual([])
  })

  test('that come in start what listens to them, or one automation alone', async () => {
    const automations = {
      one: { when: { events: ['order.placed'] }, do: [{ emit: { event: 'one', payload: '{{payload}}' } }] },
      two: {
        when: { events: ['order.placed'] },
        do: [{ emit: { event: 'two' } }],
        output: '{{source.userId}}',
      },
    }
    const all = `event: order.placed
payload: { id: 1 }
expect: { events: { inAnyOrder: [two, { event: one, payload: { id: 1 } }] } }`
    expect(await told(all, automations)).toEqual([])
    const one = `{ event: { event: order.placed }, automation: two, expect: { events: [two], output: tester } }`
    expect(await told(one, automations)).toEqual([])
  })

  test('of the platform are looked at where they are expected', async () => {
    const main = { do: [{ fetch: { url: 'https://shop.example/', output: 'a' } }] }
    const text = `automation: main
fetches: [{ url: https://shop.example/, answer: { status: 500 } }]
expect: { events: [{ event: runtime.fetch.failed, payload: { response: { status: 500 } } }] }`
    expect(await told(text, { main })).toEqual([])
  })
})

describe('fetches', () => {
  const pay = {
    do: [
      {
        fetch: {
          url: 'https://pay.example/charges',
          method: 'post',
          headers: { authorization: 'Bearer {{secret.payKey}}' },
          query: { currency: 'EUR' },
          body: { total: '{{total}}' },
          outputMode: 'detailed_response',
          output: 'answer',
        },
      },
    ],
    output: { status: '{{answer.status}}', body: '{{answer.body}}', type: '{{answer.headers.content-type}}' },
  }

  test('get the answer of the test, and are seen by it with the values of secrets', async () => {
    const text = `automation: pay
arguments: { total: 10 }
contexts: { secret: { payKey: sk-123456 } }
fetches:
  - url: https://pay.example/*
    method: POST
    body: { total: { $gt: 5 } }
    query: { currency: EUR }
    answer: { status: 201, body: { id: c1, echo: sk-123456 } }
expect:
  output: { status: 201, body: { id: c1, echo: { $regex: '^\\$secret:' } }, type: application/json }
  fetches:
    - method: post
      url: https://pay.example/charges?currency=EUR
      headers: { authorization: Bearer sk-123456 }
      body: { total: 10 }`
    expect(await told(text, { pay })).toEqual([])
  })

  test('without an answer fail the test, also inside of a try', async () => {
    const main = { do: [{ try: { do: [{ fetch: { url: 'https://no.example/x' } }], catch: [] } }] }
    expect(await told('automation: main', { main })).toEqual([
      'The test has no answer for the fetch GET https://no.example/x: add it to `fetches`.',
    ])
  })

  test('get one answer after the other, errors, delays and files', async () => {
    const get = (output: string, more = {}) => ({ fetch: { url: 'https://a.example/', output, ...more } })
    const main = {
      do: [get('a'), get('b'), get('c', { timeout: 2 }), get('d', { outputMode: 'base64' })],
      output: { a: '{{a}}', b: '{{b.error.name}}', c: '{{c.error.name}}', d: '{{d}}', at: '{{run.date}}' },
    }
    const text = `automation: main
fetches:
  - url: https://a.example
    answer:
      - { body: text, delay: 1 }
      - { error: ECONNREFUSED }
      - { delay: 5 }
      - { base64: aGk= }
expect: { output: { a: text, b: NetworkError, c: TimeoutError, d: aGk=, at: 2026-01-01T09:00:03.000Z } }`
    expect(await told(text, { main })).toEqual([])
    expect(
      await told('automation: main\nfetches: [{ url: https://a.example/, answer: [{}] }]', { main }),
    ).toEqual([
      'The fetch GET https://a.example/ was made more often than `fetches` of the test has answers for it.',
    ])
  })

  test('are tried again by the step, whose pauses take no time', async () => {
    const main = {
      do: [
        {
          fetch: { url: 'https://a.example/', output: 'a' },
          retry: { attempts: 3, backoff: { initial: '1h' } },
        },
      ],
      output: '{{a.ok}}',
    }
    const text = `automation: main
fetches: [{ url: https://a.example/, answer: [{ status: 429 }, { error: ECONNRESET }, { body: { ok: true } }] }]
expect: { output: true }`
    expect(await told(text, { main })).toEqual([])
  })
})

describe('streams', () => {
  test('are read from the chunks of an answer', async () => {
    const main = {
      do: [
        { fetch: { url: 'https://llm.example/', output: 'answer' } },
        {
          repeat: {
            on: '{{answer.body}}',
            do: [{ set: { name: 'text', value: '{{text}}{{item.chunk.data[0].delta}}' } }],
          },
        },
      ],
      output: '{{text}}',
    }
    const text = `automation: main
fetches: [{ url: https://llm.example/, answer: { chunks: [{ delta: Hel }, { delta: lo }] } }]
expect: { output: Hello }`
    expect(await told(text, { main })).toEqual([])
  })

  test('are told of by events', async () => {
    const main = { do: [{ fetch: { url: 'https://llm.example/', stream: { event: 'token' } } }] }
    const text = `automation: main
fetches: [{ url: https://llm.example/, answer: { chunks: [{ n: 1 }, { n: 2 }] } }]
expect: { events: [{ event: token, payload: { chunk: { data: [{ n: 1 }] } } }, token] }`
    expect(await told(text, { main })).toEqual([])
  })
})

describe('calls of the platform itself', () => {
  test('have a token that proves nothing', async () => {
    const main = {
      do: [
        { auth: { workspace: true, output: 'auth' } },
        {
          fetch: {
            url: '{{global.apiUrl}}/me',
            headers: { authorization: 'Bearer {{auth.jwt}}' },
            output: 'me',
          },
        },
      ],
      output: '{{me.id}}',
    }
    const text = `automation: main
fetches:
  - url: http://localhost:3001/v2/me
    headers: { Authorization: Bearer token-of-the-test }
    answer: { body: { id: ada } }
expect: { output: ada }`
    expect(await told(text, { main })).toEqual([])
  })
})

describe('what else stands in', () => {
  test('answers of automations, which need not exist, and their failures', async () => {
    const main = {
      do: [
        { price: { id: 1, output: 'first' } },
        { price: { id: 2, output: 'second' } },
        {
          try: {
            do: [{ 'Shop.stock': { id: 3 } }],
            catch: [{ set: { name: 'failed', value: '{{$error.message}}' } }],
          },
        },
      ],
      output: ['{{first}}', '{{second}}', '{{failed}}'],
    }
    const text = `automation: main
automations:
  price: [{ output: 10 }, { output: 20 }]
  Shop.stock: { error: { error: ForbiddenError, message: Not you. } }
expect:
  output: [10, 20, Not you.]
  calls: [price, { automation: price, arguments: { id: 2 } }, Shop.stock]`
    expect(await told(text, { main })).toEqual([])
  })

  describe('answers of automations of other workspaces', () => {
    const priced = {
      do: [
        {
          runWorkflow: {
            workspace: 'slug:{{shop}}',
            workflow: 'prices/of',
            parameters: { article: 'pen' },
            output: 'price',
          },
        },
        { runWorkflow: { workspace: 'w0123456789abcdf', workflow: 'notify', wait: false } },
      ],
      output: '{{price}}',
    }
    const order = (tests: string) =>
      told(`automation: priced\narguments: { shop: shop }\n${tests}`, { priced })

    test('have both names, as the step has them', async () => {
      const text = `follow: true
automations: { w0123456789abcdf/notify: { output: 1 } }
tests:
  one answer:
    automations: { "slug:shop/prices/of": { output: 3 } }
    expect:
      output: 3
      calls: [{ automation: "slug:shop/prices/of", arguments: { article: pen } }, w0123456789abcdf/notify]
  a failure:
    automations: { "slug:shop/prices/of": { error: { error: ForbiddenError, message: Not today. } } }
    expect: { error: { error: ForbiddenError, message: Not today. }, calls: [{}] }
  a list of answers:
    automations: { "slug:shop/prices/of": [{ output: 3 }] }
    expect: { output: 3 }`
      expect(await order(text)).toEqual([])
    })

    test('that a test has not are named', async () => {
      expect(await order('automations: { prices/of: { output: 3 }, of: { output: 3 } }')).toEqual([
        'The test has no answer for the automation "prices/of" of the workspace "slug:shop": add it to ' +
          '`automations` as "slug:shop/prices/of".',
      ])
      expect(await order('automations: { "slug:shop/prices/of": { output: 3 } }')).toEqual([
        'The test has no answer for the automation "notify" of the workspace "w0123456789abcdf": add it to ' +
          '`automations` as "w0123456789abcdf/notify".',
      ])
    })
  })

  test('an automation that is called for real is one of the calls', async () => {
    const automations = { main: { do: [{ greet: { name: 'Ada', output: 'a' } }], output: '{{a}}' }, greet }
    const text = 'automation: main\nexpect: { output: Hello Ada, calls: [{ automation: greet }] }'
    expect(await told(text, automations)).toEqual([])
  })

  test('functions of modules', async () => {
    const main = {
      do: [
        { run: { module: 'crypto', function: 'randomUUID', output: 'id' } },
        { run: { module: 'crypto', function: 'sha256', parameters: { data: 'a' }, output: 'hash' } },
      ],
      output: { id: '{{id}}', hash: '{{hash}}' },
    }
    const text = `automation: main
modules: { crypto.randomUUID: { output: u1 } }
expect: { output: { id: u1, hash: { $regex: '^ca978112' } } }`
    expect(await told(text, { main })).toEqual([])
  })

  test('functions in code, which are never run in a test', async () => {
    const call = (name: string, output: string) => ({
      'Custom Code.run': { function: name, parameters: { total: 10 }, output },
    })
    const main = { do: [call('tax', 'first'), call('tax', 'second')], output: ['{{first}}', '{{second}}'] }
    const text = `automation: main
functions: { tax: [{ output: 2 }, { output: { rate: 0.2 } }] }
expect: { output: [2, { rate: 0.2 }] }`
    expect(await told(text, { main })).toEqual([])
    expect(await told('automation: main', { main })).toEqual([
      'The test has no answer for the function "tax": add it to `functions`.',
    ])
  })

  test('secrets that are set and used', async () => {
    const main = {
      do: [
        {
          run: {
            module: 'secrets',
            function: 'set',
            parameters: { name: 'k', scope: 'workspace', value: 'abc123' },
            output: 'ref',
          },
        },
        {
          run: {
            module: 'secrets',
            function: 'get',
            parameters: { name: 'none', scope: 'user' },
            output: 'none',
          },
        },
        { fetch: { url: 'https://a.example/', headers: { 'x-key': '{{ref}}' } } },
      ],
      output: '{{none.error}}',
    }
    const text = `automation: main
fetches: [{ url: https://a.example/, headers: { X-Key: abc123 } }]
expect: { output: not_found }`
    expect(await told(text, { main })).toEqual([])
  })
})

describe('a URL trigger', () => {
  test('gets a request, and its answer is looked at', async () => {
    const order = {
      when: { endpoint: 'orders/:id' },
      do: [
        { set: { name: '$http', value: { status: 201, headers: { 'x-order': '{{pathParams.id}}' } } } },
        {
          run: {
            module: 'crypto',
            function: 'hmac',
            parameters: { key: 'k', data: '{{rawBody}}', inputEncoding: 'base64' },
            output: 'mac',
          },
        },
      ],
      output: {
        id: '{{pathParams.id}}',
        q: '{{query.q}}',
        verb: '{{method}}',
        name: '{{body.name}}',
        mac: '{{mac}}',
      },
    }
    const text = `endpoint: { path: POST orders/7, query: { q: 1 }, headers: { X-A: b }, rawBody: '{ "name": "Ada" }' }
expect:
  answer:
    status: 201
    headers: { x-order: '7' }
    body: { id: '7', q: '1', verb: POST, name: Ada, mac: { $regex: '^[0-9a-f]{64}$' } }`
    expect(await told(text, { order })).toEqual([])
  })

  test('that fails answers the failure, one that streams its chunks', async () => {
    const automations = {
      fails: { when: { endpoint: true }, do: [{ emit: { event: 'error' } }] },
      chat: {
        when: { endpoint: 'chat' },
        do: [
          { set: { name: '$http.chunk', value: { n: 1 } } },
          { set: { name: '$http', value: { chunk: 'two' } } },
        ],
        output: { done: true },
      },
    }
    const failing = `endpoint: fails
expect: { error: ForbiddenError, answer: { status: 403, body: { $partial: { error: ForbiddenError } } } }`
    expect(await told(failing, automations)).toEqual([])
    expect(
      await told(
        'endpoint: chat\nexpect: { answer: { chunks: [{ n: 1 }, two, { done: true }] } }',
        automations,
      ),
    ).toEqual([])
  })
})
