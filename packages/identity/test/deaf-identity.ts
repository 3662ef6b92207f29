import type { Announcements } from '@platform/broker'
import type { Service } from '@platform/service'
import { startTestService } from '@platform/testing'
import { identityService } from './start-identity.ts'

/** Announcements that reach nobody, as with a broker that is down. */
const broken: Announcements = {
  announce: () => Promise.reject(new Error('The broker is down.')),
  listen: async () => ({ [Symbol.asyncDispose]: async () => undefined }),
}

/** A gateway without announcements, on the database of another one. It hears of endings by its poll alone. */
export async function startDeafInstance(databaseUrl: string) {
  const deaf: Service = {
    ...identityService,
    build(env, resources, context) {
      const open = resources.broker.bind(resources)
      resources.broker = async (url, database) =>
        Object.create(await open(url, database), { announcements: { value: broken } })
      return identityService.build(env, resources, context)
    },
  }
  return startTestService(deaf, {
    databaseUrl,
    env: { ADMIN_PASSWORD: 'a password of the tests', SAMPLE_WORKSPACE: 'false' },
  })
}
