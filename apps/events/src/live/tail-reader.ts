import type { LiveEvent } from './live-event.ts'

/** Somebody who is handed events of a workspace. */
export interface TailReader {
  readonly workspaceId: string
  /** The only types they want; undefined for all. Read once, when they join. */
  readonly types: ReadonlySet<string> | undefined
  /** True when they wanted it. An event may be handed twice: what is not behind the last one is passed over. */
  take(event: LiveEvent): boolean
}
