import type { Database } from '@platform/database'
import { Failure } from '@platform/kernel'
import { MAX_TOPICS_OF_USER, type UserTopicStore, userTopicStore } from '@platform/permissions'
import type { JoinedTopic, TopicOrder } from '../../automations/model.ts'
import { type WrittenEffect, writeOnce } from '../effect-store.ts'

/** Where topics are kept, and how many there may be. */
export interface TopicParts {
  readonly database: Database
  /** In a workspace. */
  readonly maxTopics: number
  /** Of a topic. */
  readonly maxMembers: number
}

/** Makes users members of a topic; once, also where a run is done again. Throws Failure where that can't be. */
export const joinTopic = (
  { database, ...limits }: TopicParts,
  order: TopicOrder,
  effect: WrittenEffect,
): Promise<JoinedTopic> =>
  writeOnce(database, effect, async (tx) => {
    const store = userTopicStore(tx)
    const isNew = await requireTopic(store, order, limits.maxTopics)
    const joined = await store.addMembers(order.workspaceId, order.topic, order.userIds)
    if (joined.length > 0) await requireRoom(store, order, limits.maxMembers)
    return { isNew, joined }
  })

async function requireTopic(
  store: UserTopicStore,
  { workspaceId, topic, creates }: TopicOrder,
  maxTopics: number,
): Promise<boolean> {
  if (await store.hasTopic(workspaceId, topic)) return false
  if (!creates) throw missingTopic(topic)
  if ((await store.countTopics(workspaceId)) >= maxTopics)
    throw tooMany(`The workspace has ${maxTopics} topics already: use one that is there.`, maxTopics)
  return await store.createTopic(workspaceId, topic)
}

/** Asked once they are in: where that is too much, the transaction takes it back. */
async function requireRoom(
  store: UserTopicStore,
  { workspaceId, topic, userIds }: TopicOrder,
  maxMembers: number,
): Promise<void> {
  if ((await store.countMembers(workspaceId, topic)) > maxMembers)
    throw tooMany(`The topic "${topic}" may have ${maxMembers} members: use several topics.`, maxMembers)
  const full = await store.findOverfullUser(workspaceId, userIds)
  if (full !== undefined)
    throw tooMany(
      `The user ${full} is a member of ${MAX_TOPICS_OF_USER} topics already: use fewer, larger ones.`,
      MAX_TOPICS_OF_USER,
    )
}

const tooMany = (message: string, max: number) =>
  new Failure('InvalidArgumentsError', message, { details: { max } })

const missingTopic = (topic: string): Failure =>
  new Failure(
    'ObjectNotFoundError',
    `There is no topic "${topic}": make it with createUserTopic, or join it with create: true.`,
  )

/** Topics that are kept in memory, as long as a test takes. */
export class MemoryTopics {
  readonly #members = new Map<string, Set<string>>()

  join({ topic, userIds, creates }: TopicOrder): JoinedTopic {
    const members = this.#members.get(topic)
    if (members === undefined && !creates) throw missingTopic(topic)
    const joined = userIds.filter((one) => members?.has(one) !== true)
    this.#members.set(topic, new Set([...(members ?? []), ...joined]))
    return { isNew: members === undefined, joined }
  }
}
