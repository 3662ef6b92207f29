import type { ServiceReport } from '@platform/contracts'
import { exposeReadings, type Reading } from '@platform/http'
import type { Health } from './health.ts'
import type { Service } from './service.ts'

const READY = {
  name: 'platform_service_ready',
  help: '1 while the service takes requests, 0 while it starts or drains.',
  type: 'gauge',
} as const

const MODULES = {
  name: 'platform_module_ready',
  help: '1 when the last look at a module of the readiness report found it ready, else 0.',
  type: 'gauge',
} as const

/** Shows whether a service and each of its modules is ready, until disposed. */
export function exposeReadiness(
  service: Service['name'],
  health: Health,
  report: () => Promise<ServiceReport>,
): Disposable {
  const stack = new DisposableStack()
  stack.use(exposeReadings(READY, () => [{ labels: { service }, value: health.ready ? 1 : 0 }]))
  let known: Reading[] = []
  const look = async () => {
    known = modulesOf(service, await report())
  }
  stack.use(
    exposeReadings(MODULES, () => {
      // A scrape is not held up by a module that hangs: it shows what the last round found, and has the next one made
      // when it is due.
      look().catch(() => undefined)
      return known
    }),
  )
  return stack
}

function modulesOf(service: string, { modulesReady, errors = [] }: ServiceReport): Reading[] {
  const ready = modulesReady.map(({ module, driver }) => ({ labels: { service, module, driver }, value: 1 }))
  const failed = errors.map(({ module, driver = '' }) => ({ labels: { service, module, driver }, value: 0 }))
  return [...ready, ...failed]
}
