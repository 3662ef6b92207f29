import type { Announcements } from '@platform/broker'
import type { Service } from '@platform/service'
import { startTestService } from '@platform/testing'
import { expect, it, vi } from 'vitest'
import { identityService } from '../../test/start-identity.ts'

it('stops to hear the other instances when the gateway stops', async () => {
  let listening = 0
  const counted = (announcements: Announcements): Announcements => ({
    announce: (topic, payload) => announcements.announce(topic, payload),
    async listen(topic, handle, onGap) {
      const listener = await announcements.listen(topic, handle, onGap)
      listening += 1
      return {
        async [Symbol.asyncDispose]() {
          await listener[Symbol.asyncDispose]()
          listening -= 1
        },
      }
    },
  })
  const watched: Service = {
    ...identityService,
    build(env, resources, context) {
      const open = resources.broker.bind(resources)
      resources.broker = async (url, databaseUrl) => {
        const broker = await open(url, databaseUrl)
        return Object.create(broker, { announcements: { value: counted(broker.announcements) } })
      }
      return identityService.build(env, resources, context)
    },
  }
  const gateway = await startTestService(watched, { env: { ADMIN_PASSWORD: 'a password of the tests' } })
  expect(listening).toBeGreaterThan(0)
  await gateway[Symbol.asyncDispose]()
  await vi.waitFor(() => expect(listening).toBe(0))
})
