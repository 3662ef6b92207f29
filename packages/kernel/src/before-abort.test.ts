import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { beforeAbort } from './pauses.ts'

const failure = () => new Error('late')

describe('beforeAbort', () => {
  it('gives the result of the work, and leaves nothing behind at the signal', async () => {
    const { signal } = new AbortController()
    expect(await beforeAbort(Promise.resolve(1), signal, failure)).toBe(1)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('rejects at once when the signal aborts, and when it has aborted before', async () => {
    const stopping = new AbortController()
    const waiting = beforeAbort(new Promise(() => undefined), stopping.signal, failure)
    stopping.abort()
    await expect(waiting).rejects.toThrow('late')
    await expect(beforeAbort(Promise.resolve(1), stopping.signal, failure)).rejects.toThrow('late')
  })

  it('leaves no rejection of the work unhandled after the signal', async () => {
    const late = Promise.reject(new Error('of the work'))
    await expect(beforeAbort(late, AbortSignal.abort(), failure)).rejects.toThrow('late')
  })
})
