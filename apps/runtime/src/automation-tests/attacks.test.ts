import { setImmediate as nextTurn } from 'node:timers/promises'
import { expectOthersServed } from '@platform/testing'
import { describe, expect, test } from 'vitest'
import { runYaml, told } from '../../test/automation-tests.ts'

describe('a test that means harm', () => {
  test.each([
    [
      'loops for ever',
      { do: [{ repeat: { until: 'false', do: [{ set: { name: 'a', value: '{% {{a}} + 1 %}' } }] } }] },
      /The test (took more than 100000 instructions|worked for more than 2 s)/,
    ],
    [
      'loops without a step',
      { do: [{ repeat: { until: 'false', do: [] } }] },
      /The test worked for more than 2 s/,
    ],
    [
      'waits for ever',
      { do: [{ repeat: { until: 'false', do: [{ wait: { timeout: '30d' } }] } }] },
      /The test (took more than 100000 instructions|worked for more than 2 s)/,
    ],
    [
      'emits without end',
      {
        do: [
          { set: { name: 'text', value: 'x'.repeat(50_000) } },
          { repeat: { until: 100_000, do: [{ emit: { event: 'a', payload: { text: '{{text}}' } } }] } },
        ],
      },
      /The test (keeps more than 20000000 characters|worked for more than 2 s)/,
    ],
    [
      'fills a collection',
      {
        do: [
          { set: { name: 'text', value: 'x'.repeat(100_000) } },
          {
            repeat: {
              until: 100_000,
              do: [
                {
                  run: {
                    module: 'collections',
                    function: 'create',
                    parameters: { collection: 'a', data: { text: '{{text}}' } },
                  },
                },
              ],
            },
          },
        ],
      },
      /The test (keeps more than 20000000 characters|worked for more than 2 s)/,
    ],
    ['calls itself', { do: [{ main: {} }] }, /More than 20 automations called or triggered one another/],
  ])('that %s ends, and says why', async (_, main, message) => {
    const [first = ''] = await told('automation: main', { main })
    expect(first).toMatch(message)
  })

  test('keeps others waiting for no longer than a slice', async () => {
    const main = { do: [{ repeat: { until: 'false', do: [{ set: { name: 'a', value: 1 } }] } }] }
    const attack = () => runYaml('automation: main', { main })
    await expectOthersServed({ probe: () => nextTurn(), attack })
  })

  test('of events that start each other ends', async () => {
    const automations = {
      ping: { when: { events: ['ping'] }, do: [{ emit: { event: 'pong' } }] },
      pong: { when: { events: ['pong'] }, do: [{ emit: { event: 'ping' } }] },
    }
    const { results } = await runYaml('event: ping\nfollow: true', automations)
    expect(results[0]?.error?.error).toBe('TooManyCallError')
  })

  test('shows so much of a value and no more', async () => {
    const main = { output: '{{text}}' }
    const text = `automation: main\narguments: { text: ${'x'.repeat(20_000)} }\nexpect: { output: { a: 1 } }`
    const { results } = await runYaml(text, { main })
    expect(results[0]?.differences[0]?.got).toEqual({ truncated: true, size: 20_002 })
    expect(JSON.stringify(results).length).toBeLessThan(2000)
  })

  test('reaches no network and no store', async () => {
    const main = {
      do: [
        {
          run: {
            module: 'secrets',
            function: 'get',
            parameters: { name: 'a', scope: 'workspace' },
            output: 'a',
          },
        },
        { run: { module: 'collections', function: 'listCollections', output: 'b' } },
      ],
      output: { a: '{{a.error}}', b: '{{b}}', secret: '{{secret.shop}}' },
    }
    expect(
      await told(
        'automation: main\nexpect: { output: { a: not_found, b: [], secret: { $exists: false } } }',
        { main },
      ),
    ).toEqual([])
  })
})
