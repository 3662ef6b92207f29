import { expect, test } from 'vitest'
import { type Kept, live as liveOnce } from '../../test/mortal-run.ts'
import { type Answers, startOutside } from '../../test/outside.ts'

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

/** Sends numbers one at a time, each once the one before has come back as a request of its own. */
function echoedNumbers(count: number) {
  const asked: string[] = []
  const streams: Parameters<Answers>[1][] = []
  const answers: Answers = ({ url }, response) => {
    asked.push(url)
    if (url === '/stream') {
      streams.push(response)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event(1))
      return
    }
    const number = Number(url.slice(1))
    response.end('heard')
    if (number < count) streams.at(-1)?.write(event(number + 1))
    else streams.at(-1)?.end()
  }
  return { asked, answers }
}

const program = (url: string) => ({
  main: {
    do: [
      { fetch: { url: `${url}/stream`, output: 'out' } },
      {
        try: {
          do: [
            {
              repeat: {
                on: '{{out.body}}',
                do: [
                  { set: { name: 'sum', value: '{% {{sum}} + {{item.chunk.data[0]}} %}' } },
                  { emit: { event: 'told', payload: { sum: '{{sum}}' } } },
                  { fetch: { url: `${url}/{{item.chunk.data[0]}}` } },
                ],
              },
            },
          ],
          catch: [{ set: { name: 'error', value: '{{$error.name}}' } }],
        },
      },
    ],
    output: { sum: '{{sum}}', error: '{{error}}' },
  },
})

/** Does the run as one process; undefined where that died behind its commit of this number. */
const live = (url: string, kept: Kept, dies = 0) =>
  liveOnce(program(url), { kept, payload: { sum: 0 }, dies })

const sumsIn = ({ events }: Kept) =>
  events.filter(({ type }) => type === 'told').map(({ payload }) => (payload as { sum: number }).sum)

test('a durable run reads a stream to its end', async () => {
  const { asked, answers } = echoedNumbers(4)
  await using outside = await startOutside(answers)
  const kept: Kept = { segments: [], events: [] }
  const ended = await live(outside.url, kept)
  expect(ended?.output).toEqual({ sum: 10 })
  expect(sumsIn(kept)).toEqual([1, 3, 6, 10])
  expect(asked).toEqual(['/stream', '/1', '/2', '/3', '/4'])
})

test('another process that takes a run over has what it has seen of a stream; the rest can be caught', async () => {
  const heldBack: number[] = []
  for (let dies = 1; dies <= 4; dies += 1) {
    const { asked, answers } = echoedNumbers(5)
    await using outside = await startOutside(answers)
    const kept: Kept = { segments: [], events: [] }
    expect(await live(outside.url, kept, dies)).toBeUndefined()
    const again = await live(outside.url, kept)
    const sums = sumsIn(kept)
    // Whatever the outside has heard of was committed before, and is there once.
    expect(sums).toEqual([1, 3, 6, 10, 15].slice(0, sums.length))
    expect(again?.failed).toBeUndefined()
    expect(again?.output).toEqual({ sum: sums.at(-1) ?? 0, error: 'StreamInterrupted' })
    expect(asked.filter((one) => one === '/stream')).toHaveLength(1)
    for (const [at] of sums.entries()) expect(asked).toContain(`/${at + 1}`)
    heldBack.push(sums.length)
  }
  expect(Math.max(...heldBack)).toBeGreaterThan(1)
})
