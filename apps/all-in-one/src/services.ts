// Made from packages/contracts/src/services.ts by `npm run generate`.
import type { Service } from '@platform/service'

/** In the order they are started; a process loads only those that it runs. */
export const loadService = {
  workspaces: async (): Promise<Service> => (await import('../../workspaces/src/service.ts')).workspaces,
  runtime: async (): Promise<Service> => (await import('../../runtime/src/service.ts')).runtime,
  events: async (): Promise<Service> => (await import('../../events/src/service.ts')).events,
  'api-gateway': async (): Promise<Service> => (await import('../../api-gateway/src/service.ts')).apiGateway,
}
