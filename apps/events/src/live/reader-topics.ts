import { type EventRecord, eventServiceEvents } from '@platform/contracts'
import type { UserTopicStore } from '@platform/permissions'
import { seesEverything } from '../event-log/event-visibility.ts'
import type { Reader } from './reader.ts'

const { userTopicsCreated, userTopicsJoined } = eventServiceEvents

/** True for an event that tells of new members of a topic. */
export const tellsOfMembers = ({ type }: Pick<EventRecord, 'type'>): boolean =>
  type === userTopicsCreated.type || type === userTopicsJoined.type

/**
 * The topics of live readers. They are read when a reader begins, and are told by the log from then on, in its order:
 * who has joined a topic sees what is emitted for it behind that.
 */
export class ReaderTopics {
  readonly #store: Pick<UserTopicStore, 'listTopics'>
  readonly #readers = new Map<string, Set<Reader>>()

  constructor(store: Pick<UserTopicStore, 'listTopics'>) {
    this.#store = store
  }

  /** From now on a reader is told; until `load` has ended nobody knows all topics of it. Call the answer at its end. */
  watch(reader: Reader): () => void {
    const key = keyOf(reader.admission.workspace.id, reader)
    if (key === undefined) {
      reader.topics = []
      return () => undefined
    }
    const readers = this.#readers.get(key) ?? new Set()
    this.#readers.set(key, readers.add(reader))
    return () => {
      readers.delete(reader)
      if (readers.size === 0) this.#readers.delete(key)
    }
  }

  /** Rejects when the database is away. */
  async load(reader: Reader): Promise<void> {
    const { principal, admission } = reader
    if (principal.kind !== 'user') return
    const found = await this.#store.listTopics(admission.workspace.id, principal.userId)
    reader.topics = [...new Set([...found, ...(reader.joined ?? [])])]
  }

  /** Called with each event that `tellsOfMembers`, before any event behind it is handed out. */
  apply({ payload, source: { workspaceId = '' } }: EventRecord): void {
    const { topic, userIds, user } = Object(payload) as Record<string, unknown>
    const ids = Array.isArray(userIds) ? userIds : [Object(user).id]
    if (typeof topic !== 'string') return
    for (const id of ids)
      for (const reader of this.#readers.get(`${workspaceId}\n${String(id)}`) ?? []) join(reader, topic)
  }
}

function join(reader: Reader, topic: string): void {
  reader.joined = [...new Set([...(reader.joined ?? []), topic])]
  if (reader.topics !== undefined) reader.topics = [...new Set([...reader.topics, topic])]
}

/** Undefined for who is in no topic. */
const keyOf = (workspaceId: string, { principal, admission }: Reader): string | undefined =>
  principal.kind === 'user' && !seesEverything(admission) ? `${workspaceId}\n${principal.userId}` : undefined
