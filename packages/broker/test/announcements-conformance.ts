import { describe, expect, it, vi } from 'vitest'
import type { BrokerFixture } from './broker-fixture.ts'
import { uniqueName } from './events.ts'

const SOON = { timeout: 15_000, interval: 10 }

/** What announcements promise (port broker.ts). */
export function announcementsConformance({ broker, otherInstance }: BrokerFixture): void {
  describe('announcements', () => {
    it('reach every instance that listens to the topic, and no listener of another', async () => {
      const topic = uniqueName('topic')
      const heard: string[] = []
      await using _here = await broker().announcements.listen(topic, (payload) =>
        heard.push(`here ${payload}`),
      )
      await using _there = await otherInstance().announcements.listen(topic, (payload) =>
        heard.push(`there ${payload}`),
      )
      await using _other = await broker().announcements.listen(`${topic}x`, (payload) =>
        heard.push(`other ${payload}`),
      )
      await broker().announcements.announce(topic, 'hello')
      await vi.waitFor(() => expect(heard.sort()).toEqual(['here hello', 'there hello']), SOON)
    })

    it('carry 7,000 bytes of any text', async () => {
      const topic = uniqueName('Topic with.dots and "quotes" *>')
      const payload = `${'é'.repeat(3000)}\n${'x'.repeat(999)}`
      const heard: string[] = []
      await using _listener = await broker().announcements.listen(topic, (text) => heard.push(text))
      await broker().announcements.announce(topic, payload)
      await vi.waitFor(() => expect(heard).toEqual([payload]), SOON)
    })

    it('outlive a listener that throws', async () => {
      const topic = uniqueName('topic')
      const heard: string[] = []
      await using _listener = await broker().announcements.listen(topic, (text) => {
        heard.push(text)
        throw new Error('a mistake')
      })
      await broker().announcements.announce(topic, 'one')
      await broker().announcements.announce(topic, 'two')
      await vi.waitFor(() => expect(heard).toEqual(['one', 'two']), SOON)
    })

    it('are not heard after disposing', async () => {
      const topic = uniqueName('topic')
      const gone: string[] = []
      const kept: string[] = []
      const listener = await broker().announcements.listen(topic, (text) => gone.push(text))
      await using _other = await broker().announcements.listen(topic, (text) => kept.push(text))
      await listener[Symbol.asyncDispose]()
      await broker().announcements.announce(topic, 'after')
      await vi.waitFor(() => expect(kept).toEqual(['after']), SOON)
      expect(gone).toEqual([])
    })
  })
}
