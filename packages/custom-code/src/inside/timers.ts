import { log, wait } from './border.ts'

type Callback = (...parameters: unknown[]) => unknown

const active = new Set<number>()
let last = 0

async function run(id: number, callback: Callback, ms: number, parameters: unknown[], repeats: boolean) {
  do {
    await wait('sleep', String(Math.min(Math.max(Number(ms) || 0, 0), 2_147_483_647)))
    if (!active.has(id)) return
    if (!repeats) active.delete(id)
    try {
      callback(...parameters)
    } catch (error) {
      log('error', `A timer threw ${String(error)}`)
    }
  } while (active.has(id))
}

function start(callback: unknown, ms: number, parameters: unknown[], repeats: boolean): number {
  if (typeof callback !== 'function') throw new TypeError('A timer needs a function.')
  last += 1
  active.add(last)
  void run(last, callback as Callback, ms, parameters, repeats)
  return last
}

export const setTimeout = (callback: unknown, ms = 0, ...parameters: unknown[]): number =>
  start(callback, ms, parameters, false)

export const setInterval = (callback: unknown, ms = 0, ...parameters: unknown[]): number =>
  start(callback, ms, parameters, true)

export const clear = (id: number): void => void active.delete(id)
