import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { ChunkStream } from './chunk-stream.ts'
import { ShapedAnswer } from './shaped-answer.ts'

afterEach(() => vi.useRealTimers())

/** What a stream needs of a response, with a reader that takes everything. */
class Reader extends EventEmitter {
  readonly written: string[] = []
  readonly writableLength = 0
  destroyed = false
  writableEnded = false
  write(text: string): boolean {
    this.written.push(text)
    return true
  }
  end(): void {
    this.writableEnded = true
    this.emit('close')
  }
}

const never = new AbortController().signal

test('signs of life come as often as was asked for, but no oftener than every five seconds', async () => {
  vi.useFakeTimers()
  const answer = new ShapedAnswer({ method: 'POST', signal: never })
  void answer.assign(['sseKeepAlive'], 100, () => undefined)
  const running = Promise.withResolvers<string>()
  const { stream } = await answer.respond(running.promise, {})
  const reader = new Reader()
  stream?.(reader as unknown as ServerResponse)
  await vi.advanceTimersByTimeAsync(4999)
  expect(reader.written).toEqual([])
  await vi.advanceTimersByTimeAsync(5001)
  expect(reader.written).toEqual(Array(2).fill('data: {"keepAlive":true}\n\n'))
  running.resolve('{}')
  await vi.advanceTimersByTimeAsync(20_000)
  expect(reader.written).toHaveLength(2)
  expect(reader.writableEnded).toBe(true)
})

test('who left before the response began is waited for by nobody', async () => {
  const gone = new AbortController()
  const stream = new ChunkStream(gone.signal)
  const sending = stream.send('1')
  gone.abort()
  await sending
  await stream.end('2')
})
