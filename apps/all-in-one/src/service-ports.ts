import type { Env } from '@platform/config'
import { services, servicesBehindGateway } from '@platform/contracts'
import { freePort } from '@platform/service'

/** Where the services behind the gateway listen unless another program does. */
const usual = Object.fromEntries(
  servicesBehindGateway.map((name) => [services[name].portVariable, String(services[name].port)]),
)

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
