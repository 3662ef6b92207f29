import { z } from 'zod'
import { Duration } from '../duration.ts'
import { fields, isTemplate, OutputName, TemplatedRecord, templated } from './templated.ts'

/** The type of an event as an automation writes it; checked in full once its templates are worked out. */
const EventName = z
  .string()
  .min(1)
  .max(1000)
  .refine((type) => isTemplate(type) || /^[a-zA-Z0-9 ._-]{1,200}$/.test(type), {
    message: 'must be 1–200 characters of [a-zA-Z0-9 ._-]',
  })

export const EmitTarget = templated(
  z.strictObject({
    userTopic: z.string().max(1000).optional(),
    userId: z.string().max(1000).optional(),
    sessionId: z.string().max(1000).optional(),
    currentSocket: templated(z.boolean()).optional(),
  }),
)

export const EmitOptions = templated(
  z.strictObject({
    persist: templated(z.boolean()).optional(),
    aggPayload: templated(z.boolean()).optional(),
    async: templated(z.boolean()).optional(),
  }),
)

const emitFields = {
  event: EventName,
  payload: TemplatedRecord.nullish(),
  target: EmitTarget.optional(),
  private: templated(z.boolean()).optional(),
  autocomplete: z.record(z.string(), z.unknown()).optional(),
  options: EmitOptions.optional(),
  output: OutputName.optional(),
}

const Emit = fields(emitFields)

/**
 * `emit`: emits an event. The fields of an empty `payload:` that slipped out of their indentation are read as the
 * payload, as the automations that exist expect.
 */
export const EmitArguments = z.preprocess(gatherPayload, Emit)
export type EmitArguments = z.infer<typeof Emit>

function gatherPayload(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('payload' in value) || value.payload !== null)
    return value
  const known: [string, unknown][] = []
  const slipped: [string, unknown][] = []
  for (const entry of Object.entries(value))
    (Object.hasOwn(emitFields, entry[0]) ? known : slipped).push(entry)
  return slipped.length === 0 ? value : { ...Object.fromEntries(known), payload: Object.fromEntries(slipped) }
}

/** Alternatives that a wait may have. */
export const MAX_WANTED = 20

/** Events that never come to an automation, so that no wait for one would end. */
export const isNeverWaitedFor = (type: unknown): boolean => type === 'runtime.contexts.updated'

const WantedName = EventName.refine((type) => !isNeverWaitedFor(type), {
  message: 'can’t be waited for: contexts are read again after each wait, so leave it out',
})

/** `wait`: waits for one of several events, or just for a time. */
export const WaitArguments = fields({
  oneOf: templated(
    z
      .array(
        z.strictObject({
          event: WantedName,
          filters: TemplatedRecord.optional().describe(
            'Dotted path → value, or `{$eq, $ne, $in, $nin, $gt, $gte, $lt, $lte, $regex, $exists}`; all must hold.',
          ),
          cancelTriggers: templated(z.boolean())
            .optional()
            .describe('true: the event that ends the wait starts no automation.'),
        }),
      )
      .min(1)
      .max(MAX_WANTED),
  ).optional(),
  timeout: templated(Duration)
    .optional()
    .describe('20 s without it. Seconds, or a number with ms, s, m, h or d; at most `RUN_MAX_WAIT_DAYS`.'),
  output: OutputName.optional().describe('Gets the event; nothing when the time is over first.'),
})
export type WaitArguments = z.infer<typeof WaitArguments>

const UserIds = templated(z.array(z.string().max(1000)))

/** `createUserTopic`: names an audience. */
export const CreateUserTopicArguments = fields({
  topic: z.string().min(1).max(1000),
  userIds: UserIds.optional(),
})
export type CreateUserTopicArguments = z.infer<typeof CreateUserTopicArguments>

/** `joinUserTopic`: adds to an audience; the current user unless others are named. */
export const JoinUserTopicArguments = fields({
  topic: z.string().min(1).max(1000),
  userIds: UserIds.optional(),
  create: templated(z.boolean())
    .optional()
    .describe('true makes a topic that is not there; else that fails.'),
})
export type JoinUserTopicArguments = z.infer<typeof JoinUserTopicArguments>
