import * as contracts from '@platform/contracts'

const declared: readonly unknown[] = Object.values(contracts)

const has = (value: unknown, ...names: string[]): boolean =>
  typeof value === 'object' && value !== null && names.every((name) => name in value)

/** Every native event the contracts declare, by type. */
export const events = declared
  .filter((value): value is contracts.EventContract => has(value, 'type', 'emittedWhen'))
  .sort((a, b) => a.type.localeCompare(b.type))
