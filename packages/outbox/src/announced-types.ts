import * as contracts from '@platform/contracts'

const isAnnouncedContract = (value: unknown): value is contracts.EventContract =>
  typeof value === 'object' &&
  value !== null &&
  'everyInstance' in value &&
  value.everyInstance === true &&
  'type' in value

/** The types of native events that every instance hears at once; only the platform can emit a native type. */
export const announcedTypes: ReadonlySet<string> = new Set(
  Object.values<unknown>(contracts).flatMap((value) => (isAnnouncedContract(value) ? [value.type] : [])),
)
