import type { Env } from '@platform/config'
import { freePort } from '@platform/service'

/** Where the services behind the gateway listen as long as nobody else does. */
const usual = { WORKSPACES_PORT: '3002', RUNTIME_PORT: '3003', EVENTS_PORT: '3004' }

/**
 * A port for every service that was given none: only this process asks there, so any that is free will do. With
 * PORT=0 the gateway gets one, too, because its address has to be known before it listens.
 */
export async function servicePorts(given: Env, host: string): Promise<Env> {
  const wanted = { ...usual, ...(given.PORT === '0' ? { PORT: '0' } : {}) }
  const ports: Env = {}
  const taken = new Set(Object.values(given))
  for (const [name, port] of Object.entries(wanted)) {
    if ((given[name] ?? '0') !== '0') continue
    const chosen = taken.has(port) ? await freePort(0, host) : await freePort(Number(port), host)
    ports[name] = String(chosen)
    taken.add(String(chosen))
  }
  return ports
}
