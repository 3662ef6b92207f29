import type { z } from 'zod'

/** An event the platform itself emits: its type, its payload, and who hears of it. */
export interface EventContract<Payload extends z.ZodType = z.ZodType> {
  type: string
  emittedWhen: string
  payload: Payload
  /** Also announced to every instance at once (best effort), so that caches and keys are reloaded. */
  everyInstance?: boolean
}

const declared = new Map<string, EventContract>()

/** Every native event that is declared, by its type. Complete once this package is imported. */
export const nativeEvents: ReadonlyMap<string, EventContract> = declared

/** Declares a native event; `docs/events.md` is generated from these. */
export function event<Payload extends z.ZodType>(contract: EventContract<Payload>): EventContract<Payload> {
  declared.set(contract.type, contract)
  return contract
}

export type PayloadOf<E> = E extends EventContract<infer P> ? z.output<P> : never
export type PayloadInputOf<E> = E extends EventContract<infer P> ? z.input<P> : never
