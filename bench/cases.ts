import { collections } from './collections.ts'
import { customCode } from './custom-code.ts'
import { durable } from './durable.ts'
import { effects } from './effects.ts'
import { emit } from './emit.ts'
import { keep } from './events/keep.ts'
import { million } from './events/million.ts'
import { readers } from './events/readers.ts'
import { received } from './events/received.ts'
import { relay } from './events/relay.ts'
import { seenLive } from './events/seen-live.ts'
import { forwarding } from './forwarding.ts'
import { calm } from './gateway/calm.ts'
import { compare } from './gateway/compare.ts'
import { memory } from './gateway/memory.ts'
import { scale } from './gateway/scale.ts'
import { identity } from './identity.ts'
import { instructions } from './instructions.ts'
import type { Figure } from './measure/figure.ts'
import type { Tool } from './measure/tools.ts'
import { mixedLoad } from './mixed-load.ts'
import { neighbours } from './neighbours.ts'
import { nodeRed } from './node-red.ts'
import { rateLimit } from './rate-limit.ts'
import { runMemory } from './run-memory.ts'
import { runs } from './runs.ts'
import { scaling } from './scaling.ts'
import { schedules } from './schedules.ts'
import { start } from './start.ts'
import { streams } from './streams.ts'
import { waiting } from './waiting.ts'

/** One thing to measure. */
export interface Part {
  /** What must be installed. */
  needs?: readonly Tool[]
  measure: () => Promise<Figure[]>
}

/** `npm run bench` measures all of these, `npm run bench -- <name>` one of them, or one part. */
export const cases: Record<string, Record<string, Part>> = {
  forwarding: { forwarding: { measure: forwarding } },
  // Against what people would otherwise put there, over time, at 70 % of its load, and on two cores.
  gateway: {
    compare: { needs: ['haproxy'], measure: compare },
    memory: { measure: memory },
    calm: { needs: ['haproxy', 'wrk', 'h2load'], measure: calm },
    scale: { needs: ['haproxy', 'wrk'], measure: scale },
  },
  collections: { collections: { measure: collections } },
  'rate-limit': { 'rate-limit': { measure: rateLimit } },
  'custom-code': { 'custom-code': { measure: customCode } },
  run: { contained: { measure: runs }, 'node-red': { measure: nodeRed }, durable: { measure: durable } },
  effects: { effects: { measure: effects } },
  instructions: { instructions: { measure: instructions } },
  'mixed-load': { 'mixed-load': { measure: mixedLoad } },
  'run-memory': { 'run-memory': { measure: runMemory } },
  neighbours: { neighbours: { measure: neighbours } },
  waiting: { waiting: { measure: waiting } },
  streams: { streams: { measure: streams } },
  // How fast they are committed, get to where they are seen, and are found among a million.
  events: {
    emit: { needs: ['wrk'], measure: emit },
    relay: { measure: relay },
    keep: { measure: keep },
    'seen-live': { measure: seenLive },
    received: { measure: received },
    readers: { measure: readers },
    million: { measure: million },
  },
  schedules: { schedules: { measure: schedules } },
  start: { start: { measure: start } },
  scaling: { scaling: { needs: ['wrk'], measure: scaling } },
  identity: { identity: { measure: identity } },
}

/**
 * Those that have these names, of cases or of parts; all without names. Throws a sentence for a name that nothing
 * has.
 */
export function chosen(names: readonly string[]): Map<string, Part> {
  const parts = new Map(Object.values(cases).flatMap((one) => Object.entries(one)))
  const known = new Map(Object.entries(cases).map(([name, one]) => [name, Object.keys(one)]))
  for (const name of parts.keys()) if (!known.has(name)) known.set(name, [name])
  const unknown = names.filter((name) => !known.has(name))
  if (unknown.length > 0)
    throw new Error(`There is no bench "${unknown.join(', ')}": choose from ${[...known.keys()].join(', ')}.`)
  const wanted = new Set(names.length > 0 ? names.flatMap((name) => known.get(name) ?? []) : parts.keys())
  return new Map([...parts].filter(([name]) => wanted.has(name)))
}
