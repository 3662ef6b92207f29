import type { Env } from '@platform/config'
import type { FrontDoor } from './front-door.ts'
import type { Resources } from './resources.ts'
import type { Service, ServiceContext } from './service.ts'
import { openDoor, type RunningService, startService } from './start-service.ts'
import type { Waiting } from './starting-report.ts'

interface How {
  resources: Resources
  context: ServiceContext
  limits: { drainDelayMs: number; patienceMs: number; signal: AbortSignal }
  /** Closes what was started, the last first. */
  stack: AsyncDisposableStack
}

/** Starts services one after the other; all of them listen before the first is built, which may wait for a store. */
export async function startAll(
  services: readonly Service[],
  env: Env,
  { resources, context, limits, stack }: How,
): Promise<RunningService[]> {
  const doors = new Map<Service, FrontDoor>()
  // While the first waits for a store the others wait for the first: each tells the same.
  const waiting: Waiting = { obstacle: undefined }
  for (const service of services) {
    const door = await openDoor(service, env, context, { patienceMs: limits.patienceMs, waiting })
    if (door !== undefined) doors.set(service, stack.use(door))
  }
  const running: RunningService[] = []
  for (const service of services) {
    // The last one is the first to stop, and the door of the others: only it is seen by a load balancer.
    const drainDelayMs = service === services.at(-1) ? limits.drainDelayMs : 0
    const how = { ...limits, drainDelayMs, door: doors.get(service) }
    running.push(stack.use(await startService(service, env, resources, context, how)))
  }
  return running
}
