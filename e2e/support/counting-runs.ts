import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A question that a run asked the server outside. */
export interface Asked {
  readonly n: string
  readonly step: string
  readonly key: string
}

/** A server outside that takes its time, and remembers what it was asked. */
export async function startSlowOutside({ leastMs = 100, mostMs = 500 } = {}) {
  const asked: Asked[] = []
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { searchParams } = new URL(request.url ?? '', 'http://outside')
    const text = (name: string) => searchParams.get(name) ?? ''
    asked.push({ n: text('n'), step: text('step'), key: String(request.headers['idempotency-key']) })
    setTimeout(() => response.end(`${asked.length}`), leastMs + Math.random() * (mostMs - leastMs))
  }
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    asked,
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const shown = '{{global[{{payload.key}}]}}'
const count = { set: { name: 'global[{{payload.key}}]', value: `{% ${shown} + 1 %}` } }
const tell = (event: string) => ({ emit: { event, payload: { n: '{{payload.n}}', count: shown } } })

/**
 * The automations of a run that counts in a shared context: `killed.cause` starts it, and it has counted three times
 * when it emits `killed.done`. Between that it asks outside, the last time two at once, calls another automation in a
 * loop, catches an error, and waits for the answer of a third automation to what it has emitted.
 */
export function countingAutomations(url: string): object[] {
  const ask = (step: string) => ({ fetch: { url, query: { n: '{{payload.n}}', step } } })
  return [
    {
      slug: 'counting',
      name: 'counting',
      when: { events: ['killed.cause'] },
      do: [
        { set: { name: 'global[{{payload.key}}]', value: 0 } },
        count,
        ask('1'),
        count,
        tell('killed.half'),
        {
          wait: {
            oneOf: [{ event: 'killed.answer', filters: { 'payload.n': '{{payload.n}}' } }],
            timeout: 600,
            output: 'answered',
          },
        },
        { all: [ask('2'), ask('3')] },
        { repeat: { until: 2, do: [{ addOne: { to: '{{inner}}', output: 'inner' } }] } },
        { try: { do: [{ failing: {} }], catch: [{ set: { name: 'caught', value: true } }] } },
        count,
        {
          emit: {
            event: 'killed.done',
            payload: {
              n: '{{payload.n}}',
              count: shown,
              inner: '{{inner}}',
              caught: '{{caught}}',
              answer: '{{answered.payload.n}}',
            },
          },
        },
      ],
    },
    {
      slug: 'answering',
      name: 'answering',
      when: { events: ['killed.half'] },
      do: [{ emit: { event: 'killed.answer', payload: { n: '{{payload.n}}' } } }],
    },
    {
      slug: 'addOne',
      name: 'addOne',
      do: [{ set: { name: 'sum', value: '{% ({{to}} or 0) + 1 %}' } }],
      output: '{{sum}}',
    },
    { slug: 'failing', name: 'failing', do: [{ set: { name: 'run.correlationId', value: 'not yours' } }] },
  ]
}

/** What `killed.done` of run `n` says when each of its effects has happened once. */
export const countedOnce = (n: number) => ({
  n: String(n),
  count: 3,
  inner: 2,
  caught: true,
  answer: String(n),
})

/** What was asked for the first step of a run after something that comes later was: its answer was kept by then. */
export function askedAgain(asked: readonly Asked[]): Asked[] {
  const further = new Set<string>()
  return asked.filter(({ n, step }) => {
    if (step !== '1') further.add(n)
    return step === '1' && further.has(n)
  })
}
