import { z } from 'zod'
import { fields, OutputName, TemplatedRecord, templated } from './templated.ts'

/** The type of an event as an automation writes it; checked in full once its templates are worked out. */
const EventName = z
  .string()
  .min(1)
  .max(1000)
  .refine((type) => type.includes('{{') || type.includes('{%') || /^[a-zA-Z0-9 ._-]{1,200}$/.test(type), {
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

/** `wait`: waits for one of several events, or just waits. `timeout` is in seconds. */
export const WaitArguments = fields({
  oneOf: templated(
    z.array(
      z.strictObject({
        event: EventName,
        filters: TemplatedRecord.optional(),
        cancelTriggers: templated(z.boolean()).optional(),
      }),
    ),
  ).optional(),
  timeout: templated(z.number().nonnegative()).optional(),
  output: OutputName.optional(),
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
  create: templated(z.boolean()).optional(),
})
export type JoinUserTopicArguments = z.infer<typeof JoinUserTopicArguments>
