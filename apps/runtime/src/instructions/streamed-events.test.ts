import { setTimeout as pause } from 'node:timers/promises'
import type { EventRecord } from '@platform/contracts'
import { describe, expect, test } from 'vitest'
import { type Kept, live as liveOnce } from '../../test/mortal-run.ts'
import { type Answers, json, startOutside } from '../../test/outside.ts'

type Fields = Record<string, unknown>

/** Runs one fetch as a durable run; undefined where its process died behind its commit of this number. */
const live = (
  url: string,
  stream: Fields,
  { kept = { segments: [], events: [] } as Kept, dies = 0, fields = {} as Fields } = {},
) => {
  const main = { do: [{ fetch: { url, stream, output: 'out', ...fields } }], output: '{{out}}' }
  return liveOnce({ main }, { kept, payload: { who: 'ada' }, dies })
}

async function told(answers: Answers, stream: Fields, fields: Fields = {}) {
  await using outside = await startOutside(answers)
  const kept: Kept = { segments: [], events: [] }
  const ended = await live(outside.url, { event: 'piece', ...stream }, { kept, fields })
  const pieces = kept.events.filter(({ type }) => type === 'piece')
  return {
    output: ended?.output,
    failed: ended?.failed?.failure,
    pieces,
    events: kept.events,
    host: new URL(outside.url).host,
  }
}

const streamOf =
  (type: string, list: readonly string[], everyMs = 1): Answers =>
  async (_, response) => {
    response.writeHead(200, { 'content-type': type })
    for (const one of list) {
      response.write(one)
      await pause(everyMs)
    }
    response.end()
  }

const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
const EVENTS = 'text/event-stream'
const speech = streamOf(EVENTS, [
  delta('He'),
  delta('llo'),
  'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: {"choices":[]}\n\ndata: [DONE]\n\n',
])
const contentOf = ({ payload }: EventRecord) =>
  (payload as { chunk: { data: { choices: { delta: { content?: string } }[] }[] } }).chunk.data[0]?.choices[0]
    ?.delta.content

describe('stream of a fetch', () => {
  test('tells of each chunk by an event, then of the end; the output has them all', async () => {
    const { pieces, output } = await told(streamOf(EVENTS, ['data: {"a":1}\n\n', 'event: x\ndata: 2\n\n']), {
      endChunk: { isOver: true },
      payload: { of: '{{who}}' },
      target: { userId: '{{who}}' },
      options: { persist: false },
    })
    const additionalPayload = { of: 'ada' }
    const chunks = [{ data: [{ a: 1 }] }, { data: [2], event: 'x' }]
    expect(pieces.map(({ payload }) => payload)).toEqual(
      [...chunks, { isOver: true }].map((chunk) => ({ chunk, additionalPayload })),
    )
    for (const one of pieces)
      expect(one).toMatchObject({ target: { userId: 'ada' }, options: { persist: false } })
    expect(output).toMatchObject({ status: 200, headers: { 'content-type': EVENTS }, body: chunks })
  })

  test('puts the text so far in place of its part, with the last chunk as a whole', async () => {
    const path = 'choices[0].delta.content'
    const whole = { choices: [{ delta: { content: 'Hello' }, finish_reason: 'stop' }] }
    for (const given of [path, `data[0].${path}`, `chunk.data[0].${path}`]) {
      const { pieces, output } = await told(speech, { concatenate: { path: given } })
      expect(pieces.map(contentOf)).toEqual(['He', 'Hello', 'Hello'])
      expect(output).toMatchObject({ body: { data: [whole] } })
    }
  })

  test('is told of as seldom as wanted, while it goes on and at its end', async () => {
    const slow = streamOf(EVENTS, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(delta), 25)
    const concatenate = { path: 'choices[0].delta.content', throttle: 80 }
    const { pieces } = await told(slow, { concatenate })
    expect(pieces.length).toBeGreaterThanOrEqual(2)
    expect(pieces.length).toBeLessThanOrEqual(5)
    expect(contentOf(pieces.at(-1) as EventRecord)).toBe('abcdefgh')
  })

  test('does not keep a text back until more comes', async () => {
    const never = streamOf(EVENTS, [delta('a'), delta('b'), ''], 300)
    const { pieces } = await told(never, { concatenate: { path: 'choices[0].delta.content', throttle: 50 } })
    const [first, second] = pieces.map(({ createdAt }) => Date.parse(createdAt))
    expect((second ?? 0) - (first ?? 0)).toBeLessThan(500)
    expect(pieces.map(contentOf)).toEqual(['a', 'ab'])
  })

  test.each([
    ['application/x-ndjson', ['{"a":1}\n{"a', '":2}\n\nno JSON\n3'], [{ a: 1 }, { a: 2 }, 'no JSON', 3]],
    ['text/plain; charset=utf-8', ['one ', 'twö'], ['one ', 'twö']],
  ])('tells of %s in its pieces', async (type, list, chunks) => {
    const { pieces, output } = await told(streamOf(type, list, 20), {})
    expect(pieces.map(({ payload }) => (payload as { chunk: unknown }).chunk)).toEqual(chunks)
    expect(output).toEqual(type.startsWith('text') ? chunks.join('') : chunks)
  })

  test('takes an answer that is none as it is', async () => {
    const { pieces, output } = await told((_, response) => json(response, { a: 1 }), { endChunk: 'end' })
    expect([pieces, output]).toEqual([[], { a: 1 }])
  })

  test('says what broke it off, behind what came', async () => {
    const broken: Answers = async (_, response) => {
      response.writeHead(200, { 'content-type': EVENTS }).write(delta('a'))
      await pause(20)
      response.destroy()
    }
    const { pieces, output, events, host } = await told(broken, { endChunk: 'end' })
    expect(pieces).toHaveLength(1)
    const message = `${host} broke its stream off.`
    expect(output).toEqual({ error: { name: 'StreamInterrupted', message } })
    const [failed] = events.filter(({ type }) => type === 'runtime.fetch.failed')
    expect(failed?.payload).toMatchObject({ error: { error: 'StreamInterrupted', message } })
  })

  test('fails where its event can be none', async () => {
    const { failed } = await told(speech, { event: 'workspaces.deleted' })
    expect(failed?.name).toBe('ForbiddenError')
  })

  test('emits nothing twice when another process takes the run over', async () => {
    const list = ['a', 'b', 'c', 'd', 'e', 'f'].map(delta)
    for (const concatenate of [undefined, { path: 'choices[0].delta.content', throttle: 30 }])
      for (let dies = 2; dies <= 4; dies += 1) {
        await using outside = await startOutside(streamOf(EVENTS, list, 30))
        const kept: Kept = { segments: [], events: [] }
        const stream = { event: 'piece', concatenate }
        const first = await live(outside.url, stream, { kept, dies })
        const before = kept.events.filter(({ type }) => type === 'piece').length
        if (first === undefined) {
          const again = await live(outside.url, stream, { kept })
          expect(again?.failed).toBeUndefined()
          expect(again?.output).toMatchObject({ error: { name: 'StreamInterrupted' } })
        }
        const ids = kept.events.filter(({ type }) => type === 'piece').map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids.length).toBeGreaterThanOrEqual(before)
        expect(outside.got).toHaveLength(1)
      }
  })
})
