import type { EventRecord } from '@platform/contracts'
import type { LiveEvent } from './live-event.ts'

/** A reader that is handed events of a workspace. */
export interface TailReader {
  readonly workspaceId: string
  /** The only types they want; undefined for all. Read once, when they join. */
  readonly types: ReadonlySet<string> | undefined
  /** True when they wanted it. An event may be handed twice: what is not behind the last one is passed over. */
  take(event: LiveEvent): boolean
}

/** The readers of a workspace: those who named types by them, all others in one set. */
interface Room {
  readonly all: Set<TailReader>
  readonly byType: Map<string, Set<TailReader>>
}

const nobody: readonly TailReader[] = []

/** Readers by workspace and type, so that an event meets only those it may be for. */
export class Rooms {
  readonly #rooms = new Map<string, Room>()

  get isEmpty(): boolean {
    return this.#rooms.size === 0
  }

  add(reader: TailReader): void {
    const room = this.#rooms.get(reader.workspaceId) ?? { all: new Set(), byType: new Map() }
    this.#rooms.set(reader.workspaceId, room)
    if (reader.types === undefined) room.all.add(reader)
    for (const type of reader.types ?? []) {
      const readers = room.byType.get(type) ?? new Set()
      room.byType.set(type, readers.add(reader))
    }
  }

  remove(reader: TailReader): void {
    const room = this.#rooms.get(reader.workspaceId)
    if (room === undefined) return
    room.all.delete(reader)
    for (const type of reader.types ?? []) {
      const readers = room.byType.get(type)
      readers?.delete(reader)
      if (readers?.size === 0) room.byType.delete(type)
    }
    if (room.all.size === 0 && room.byType.size === 0) this.#rooms.delete(reader.workspaceId)
  }

  /** A copy: who is handed an event may leave because of it. */
  readersOf({ type, source }: EventRecord): readonly TailReader[] {
    const room = source.workspaceId === undefined ? undefined : this.#rooms.get(source.workspaceId)
    if (room === undefined) return nobody
    return [...room.all, ...(room.byType.get(type) ?? nobody)]
  }
}
