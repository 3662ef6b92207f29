import { nativeEvents } from '@platform/contracts'

/** The types of native events that every instance hears at once; only the platform can emit a native type. */
export const announcedTypes: ReadonlySet<string> = new Set(
  [...nativeEvents.values()].flatMap(({ type, everyInstance }) => (everyInstance === true ? [type] : [])),
)
