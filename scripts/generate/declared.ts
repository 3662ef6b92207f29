import { type EventContract, nativeEvents } from '@platform/contracts'

/** Every native event the contracts declare, by type. */
export const events: EventContract[] = [...nativeEvents.values()].sort((a, b) => a.type.localeCompare(b.type))
