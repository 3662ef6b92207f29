import {
  type CreateUserTopicArguments,
  type EventTarget,
  eventServiceEvents,
  type JoinUserTopicArguments,
} from '@platform/contracts'
import type { EventLimits } from '@platform/outbox'
import type { Frame, JoinedTopic } from '../automations/model.ts'
import { topicEvent } from '../automations/run-events.ts'
import { keptAnswer } from '../modules/kept-answer.ts'
import type { ModuleStores } from '../modules/module.ts'
import { joinTopic } from '../modules/topics/join-topic.ts'
import { type Instruction, invalidInstruction, type StepContext } from './instruction.ts'

/** Users that one step may name. */
const MAX_USERS = 1000
const LONGEST = 200

interface Wish {
  readonly topic: string
  readonly userIds: readonly string[]
  readonly creates: boolean
}

/** createUserTopic: makes an audience; those who are named see what is emitted for it. */
export const createUserTopic = (
  limits: EventLimits,
  stores?: ModuleStores,
): Instruction<CreateUserTopicArguments> => ({
  name: 'createUserTopic',
  compile(args, context) {
    const readTopic = context.texts.reader(args.topic)
    const readUserIds = context.texts.reader(args.userIds)
    const join = joining(limits, stores, context)
    return (frame) =>
      join(frame, {
        topic: topicOf(readTopic(frame)),
        userIds: userIdsOf(readUserIds(frame)) ?? [],
        creates: true,
      })
  },
})

/** joinUserTopic: adds to an audience; the user of the run where nobody is named. */
export const joinUserTopic = (
  limits: EventLimits,
  stores?: ModuleStores,
): Instruction<JoinUserTopicArguments> => ({
  name: 'joinUserTopic',
  compile(args, context) {
    const readTopic = context.texts.reader(args.topic)
    const readUserIds = context.texts.reader(args.userIds)
    const readCreate = context.texts.reader(args.create)
    const join = joining(limits, stores, context)
    return (frame) => {
      const create = readCreate(frame)
      return join(frame, {
        topic: topicOf(readTopic(frame)),
        userIds: userIdsOf(readUserIds(frame)) ?? userOf(frame),
        creates: create === true || create === 'true',
      })
    }
  },
})

function userOf({ run }: Frame): string[] {
  if (run.subject.userId !== undefined) return [run.subject.userId]
  throw invalidInstruction('joinUserTopic needs userIds: the run acts for no user.')
}

function topicOf(given: unknown): string {
  if (typeof given === 'string' && given !== '' && given.length <= LONGEST) return given
  throw invalidInstruction(`The name of a topic must have 1 to ${LONGEST} characters.`)
}

function userIdsOf(given: unknown): string[] | undefined {
  if (given === undefined || given === null) return undefined
  const ids = Array.isArray(given) ? [...new Set<unknown>(given)] : undefined
  const isId = (one: unknown): one is string => typeof one === 'string' && one !== '' && one.length <= LONGEST
  if (ids !== undefined && ids.length <= MAX_USERS && ids.every(isId)) return ids
  throw invalidInstruction(`userIds must be a list of at most ${MAX_USERS} ids of users.`)
}

/** Members are there before anything that comes later; that they are is told by events, which only they see. */
function joining(limits: EventLimits, stores: ModuleStores | undefined, { path }: StepContext) {
  return async (frame: Frame, wish: Wish): Promise<void> => {
    const { run } = frame
    frame.observed?.input({ topic: wish.topic, userIds: wish.userIds })
    const order = { workspaceId: run.workspace.id, ...wish }
    const done = await keptAnswer({ frame, path, stores }, async ({ key, mayRepeat }) => {
      if (run.stubs !== undefined) return run.stubs.joinTopic(order)
      if (stores === undefined) throw invalidInstruction('Topics can’t be kept here.')
      return await joinTopic(stores.topics, order, { key, mayRepeat, runId: run.runId })
    })
    const told = eventsOf(wish, done)
    if (told.length === 0) return
    const throttled = run.throttle('emits', told.length, frame)
    if (throttled !== undefined) await throttled
    for (const { type, payload, target } of told)
      await run.record(topicEvent(frame, type, { payload, target }, path, limits))
  }
}

interface Told {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly target: EventTarget
}

function eventsOf({ topic, userIds }: Wish, { isNew, joined }: JoinedTopic): Told[] {
  const { userTopicsCreated, userTopicsJoined } = eventServiceEvents
  if (isNew)
    return [{ type: userTopicsCreated.type, payload: { topic, userIds }, target: { userTopic: topic } }]
  return joined.map((id) => ({
    type: userTopicsJoined.type,
    payload: { user: { id }, topic },
    target: { userId: id },
  }))
}
