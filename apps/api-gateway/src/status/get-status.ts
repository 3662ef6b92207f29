import { anyone } from '@platform/auth'
import { getStatus as endpoint } from '@platform/contracts'
import { route } from '@platform/http'

/** Touches no dependency: it says that the process is up, nothing more. */
export const getStatus = (deps: { version: string }) =>
  route(endpoint, {
    access: anyone,
    handle: async () => ({ status: 'ok' as const, name: 'api-gateway', version: deps.version }),
  })
