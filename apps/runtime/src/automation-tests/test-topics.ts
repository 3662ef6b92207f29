import type { JoinedTopic, TopicOrder } from '../automations/model.ts'
import { missingTopic } from '../modules/topics/join-topic.ts'

/** Topics that are kept in memory, as long as a test takes. */
export class TestTopics {
  readonly #members = new Map<string, Set<string>>()

  join({ topic, userIds, creates }: TopicOrder): JoinedTopic {
    const members = this.#members.get(topic)
    if (members === undefined && !creates) throw missingTopic(topic)
    const joined = userIds.filter((one) => members?.has(one) !== true)
    this.#members.set(topic, new Set([...(members ?? []), ...joined]))
    return { isNew: members === undefined, joined }
  }
}
