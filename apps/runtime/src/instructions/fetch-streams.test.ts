import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Answers, startOutside } from '../../test/outside.ts'
import { compiled, runMain, testEngine, testFetches } from '../../test/testing.ts'
import type { FetchSettings } from '../fetches/fetches-env.ts'

type Fields = Record<string, unknown>

const TYPE = { 'content-type': 'text/event-stream; charset=utf-8' }

/** Writes each piece for itself. */
const pieces =
  (...list: (string | Buffer)[]): Answers =>
  async (_, response) => {
    response.writeHead(200, TYPE)
    for (const piece of list) {
      response.write(piece)
      await pause(5)
    }
    response.end()
  }

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => event(at + 1))

const listOf = (name: string) => ({ set: { name: `${name}[]`, value: '{{item.chunk.data[0]}}' } })
const readAll = { repeat: { on: '{{out.body}}', do: [listOf('got')] } }

/** Runs `main` behind a fetch of a server outside, whose answer is in `out`. */
async function streamed(
  answers: Answers,
  { steps = [readAll] as Fields[], output = '{{got}}' as unknown, fields = {} as Fields },
  settings: Partial<FetchSettings> = {},
) {
  await using outside = await startOutside(answers)
  await using fetches = testFetches(settings)
  const fetch = { fetch: { url: outside.url, output: 'out', ...fields } }
  const main = { do: [fetch, ...steps], output }
  const result = await runMain(compiled({ main }), {}, {}, testEngine({ fetches }))
  return { ...result, failure: result.failed?.failure, host: new URL(outside.url).host }
}

describe('an answer of server-sent events', () => {
  test('is read by repeat event by event, whatever pieces it comes in', async () => {
    const text =
      ': hello\n\ndata: {"a":"é"}\n\nevent: note\nid: 7\ndata: [1,\ndata: 2]\r\n\r\ndata: x\ndata: 2\n\n'
    const bytes = Buffer.from(`${text}data: [DONE]\n\ndata: last`)
    const bytewise = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
    const steps = [{ repeat: { on: '{{out.body}}', do: [{ set: { name: 'got[]', value: '{{item}}' } }] } }]
    for (const list of [[bytes], bytewise]) {
      const { output } = await streamed(pieces(...list), { steps })
      expect(output).toEqual([
        { chunk: { data: [{ a: 'é' }] } },
        { chunk: { data: [[1, 2]], event: 'note', id: '7' } },
        { chunk: { data: ['x', 2] } },
        { chunk: { data: ['[DONE]'] } },
        { chunk: { data: ['last'] } },
      ])
    }
  })

  test.each(['body', 'base64', 'detailed_response'])(
    'has status and headers with outputMode %s',
    async (mode) => {
      const { output } = await streamed(pieces(event(1)), {
        fields: { outputMode: mode },
        output: { status: '{{out.status}}', type: '{{out.headers["content-type"]}}', got: '{{got}}' },
      })
      expect(output).toEqual({ status: 200, type: TYPE['content-type'], got: [1] })
    },
  )

  test('says what it is wherever it is not read', async () => {
    const { output } = await streamed(pieces(event(1)), { steps: [], output: '{{out.body}}' })
    expect(output).toEqual({
      $stream: expect.any(String),
      note: 'The events of a stream: repeat.on reads them, in the run that fetched it.',
    })
  })

  test('is read as text where it is a failure, which is told of as any', async () => {
    const { output, events } = await streamed(
      (_, response) => response.writeHead(400, TYPE).end('data: {"error":"no"}\n\n'),
      { steps: [], output: '{{out}}' },
    )
    expect(output).toBe('data: {"error":"no"}\n\n')
    expect(events.map(({ type }) => type)).toContain('runtime.fetch.failed')
  })

  test('goes on where a repeat ended, and a batch reads it side by side', async () => {
    const { output } = await streamed(pieces(numbers(6).join('')), {
      steps: [
        { repeat: { on: '{{out.body}}', until: 2, do: [listOf('first')] } },
        {
          repeat: {
            on: '{{out.body}}',
            do: [
              listOf('second'),
              { conditions: { '{{item.chunk.data[0]}} == 3': [{ break: { scope: 'repeat' } }] } },
            ],
          },
        },
        { repeat: { on: '{{out.body}}', batch: { size: 2 }, do: [listOf('third')] } },
        { repeat: { on: '{{out.body}}', do: [listOf('third')] } },
      ],
      output: ['{{first}}', '{{second}}', '{{third}}'],
    })
    expect(output).toEqual([[1, 2], [3], [4, 5, 6]])
  })

  test('does not wait for an item that no round is for', async () => {
    const { output } = await streamed(
      (_, response) => void response.writeHead(200, TYPE).write(numbers(2).join('')),
      { steps: [{ repeat: { on: '{{out.body}}', until: 2, do: [listOf('got')] } }] },
    )
    expect(output).toEqual([1, 2])
  })

  test('is unpacked while it comes', async () => {
    const { output } = await streamed(
      (_, response) =>
        response.writeHead(200, { ...TYPE, 'content-encoding': 'gzip' }).end(gzipSync(event('a'))),
      {},
    )
    expect(output).toEqual(['a'])
  })
})

describe('the other side', () => {
  test('is slowed down by rounds that are slow, and hears when the run has enough', async () => {
    const left = Promise.withResolvers<void>()
    let sent = 0
    const flood: Answers = async (_, response) => {
      response.once('close', () => left.resolve())
      response.writeHead(200, TYPE)
      while (!response.destroyed) {
        sent += 1
        if (!response.write(event('x'.repeat(10_000)))) await roomIn(response)
      }
    }
    const slowly = { wait: { timeout: '300ms' } }
    await streamed(flood, { steps: [{ repeat: { on: '{{out.body}}', until: 2, do: [slowly] } }], output: 1 })
    await left.promise
    // What buffers of sockets on both sides hold: many times as much comes in 600 ms where nothing holds it up.
    expect(sent).toBeLessThan(1500)
  })

  test('hears at once that nobody reads what it sends', async () => {
    const left = Promise.withResolvers<void>()
    const open: Answers = (_, response) => {
      response.once('close', () => left.resolve())
      response.writeHead(200, TYPE).write(event(1))
    }
    const heard: Fields = {}
    const steps = [{ wait: { timeout: '20s' } }]
    const running = streamed(open, { fields: { output: undefined }, steps, output: 1 }).finally(() => {
      heard.ended = true
    })
    await left.promise
    expect(heard.ended).toBeUndefined()
    void running.catch(() => undefined)
  })
})

const roomIn = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle)
      resolve()
    }
    response.on('drain', settle).on('close', settle)
  })

describe('what breaks a stream off fails the repeat, after the items that came', () => {
  const caught = {
    try: { do: [readAll], catch: [{ set: { name: 'error', value: '{{$error}}' } }] },
  }
  const output = { got: '{{got}}', name: '{{error.name}}', message: '{{error.message}}' }
  const open =
    (...list: string[]): Answers =>
    (_, response) =>
      void response.writeHead(200, TYPE).write(list.join(''))

  test('a connection that ends', async () => {
    const broken: Answers = async (_, response) => {
      response.writeHead(200, TYPE).write(event(1))
      await pause(20)
      response.destroy()
    }
    const { output: is, host } = await streamed(broken, { steps: [caught], output })
    expect(is).toEqual({ got: [1], name: 'StreamInterrupted', message: `${host} broke its stream off.` })
  })

  test('silence for longer than the timeout of the fetch', async () => {
    const { output: is, host } = await streamed(open(event(1)), {
      fields: { timeout: '100ms' },
      steps: [caught],
      output,
    })
    const message = `${host} sends nothing any more: its stream was left.`
    expect(is).toEqual({ got: [1], name: 'StreamInterrupted', message })
  })

  test('an event, or an answer, that is too long', async () => {
    const endless = open(event(1), `data: ${'x'.repeat(1_100_000)}`)
    const { output: is, host } = await streamed(endless, { steps: [caught], output })
    const message = `${host} sends a piece that is longer than 1 MB.`
    expect(is).toEqual({ got: [1], name: 'StreamInterrupted', message })
    const large = await streamed(
      pieces(...numbers(40)),
      { steps: [caught], output },
      { maxResponseBytes: 200 },
    )
    expect(large.output).toMatchObject({
      name: 'StreamInterrupted',
      message: `${large.host} answers more than the 200 bytes that are allowed.`,
    })
  })

  test('what is longer than any fetch may take', async () => {
    const steps = [caught]
    const { output: is } = await streamed(
      open(event(1)),
      { steps, output },
      { maxTimeoutMs: 200, timeoutMs: 200 },
    )
    expect(is).toMatchObject({ got: [1], name: 'StreamInterrupted' })
  })

  test('a value that only looks like a stream, and one of another run', async () => {
    const main = {
      do: [{ repeat: { on: { $stream: 'x', note: 'y' }, do: [] } }],
    }
    const { failed } = await runMain(compiled({ main }))
    expect(failed?.failure).toMatchObject({ name: 'StreamInterrupted', status: 424 })
    expect(failed?.failure.message).toContain('This stream can’t be read any more')
  })

  test('one more stream than a workspace may read is an error of its fetch', async () => {
    const { output: is } = await streamed(open(event(1)), { steps: [], output: '{{out}}' }, { streams: 0 })
    expect(is).toEqual({
      error: { name: 'TooManyStreams', message: expect.stringContaining('FETCH_STREAMS') },
    })
  })
})

describe('the end of its run', () => {
  test('comes while it waits for the next event', async () => {
    await using outside = await startOutside((_, response) => response.writeHead(200, TYPE).write(event(1)))
    await using fetches = testFetches()
    const main = { do: [{ fetch: { url: outside.url, output: 'out' } }, readAll], output: '{{got}}' }
    const startedAt = performance.now()
    const { failed } = await runMain(compiled({ main }), {}, { timeLimitMs: 300 }, testEngine({ fetches }))
    expect(failed?.failure.name).toBe('WorkflowTimeoutError')
    expect(performance.now() - startedAt).toBePrompt(2000)
  })
})
