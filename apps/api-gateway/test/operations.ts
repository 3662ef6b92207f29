import type { Endpoint } from '@platform/contracts'
import { startGateway, startUpstream } from './start-gateway.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Every contract of a module that the gateway is asked for from outside. */
export const endpointsOf = (contracts: Record<string, unknown>): Endpoint[] =>
  Object.values(contracts)
    .filter(isEndpoint)
    .filter(({ path }) => !path.startsWith('/sys/'))
    .toSorted((a, b) => a.path.localeCompare(b.path))

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'path' in value && 'method' in value && 'service' in value

/** The methods of a contract, each by itself. */
export const methodsOf = ({ method }: Endpoint): Method[] =>
  method === 'all' ? ['get', 'post', 'put', 'patch', 'delete'] : [method]

/** An address of a contract with something in the place of each parameter. */
export const addressOf = (path: string): string => path.replace(/[:*]\w+/g, 'x1')

/** A gateway in front of a service, with ada signed in. */
export async function startWithAda() {
  const service = await startUpstream()
  const gateway = await startGateway({ services: service.url })
  return {
    service,
    gateway,
    ada: await gateway.signIn({ userId: 'ada' }),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

export type WithAda = Awaited<ReturnType<typeof startWithAda>>
