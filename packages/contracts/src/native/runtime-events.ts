import { z } from 'zod'
import { event } from '../event.ts'
import { anything, number, open, text } from './field.ts'

const trigger = z.looseObject({
  type: text,
  value: text,
  id: text.optional(),
  appInstanceSlug: text.optional(),
})

const schedules = z.union([open, z.array(anything)])

const contextUpdate = z.looseObject({
  type: text,
  path: z.array(z.union([text, number])),
  fullPath: text,
  context: text,
  value: anything.optional(),
  cacheId: text.optional(),
})

/** What runs and what starts runs. */
export const runtimeEvents = {
  automationsScheduled: event({
    type: 'runtime.automations.scheduled',
    emittedWhen: 'The schedules of an automation were set.',
    payload: z.looseObject({ slug: text, schedules: schedules }),
  }),
  contextsUpdated: event({
    type: 'runtime.contexts.updated',
    emittedWhen: 'A run has changed a context that other instances hold too.',
    payload: z.looseObject({ emitterId: text, updates: z.array(contextUpdate) }),
  }),
  dsulUpdated: event({
    type: 'runtime.dsul.updated',
    emittedWhen: 'The definitions of a workspace were loaded again.',
    payload: z.looseObject({ workspaceId: text, duration: number.optional(), reason: open.optional() }),
  }),
  fetchFailed: event({
    type: 'runtime.fetch.failed',
    emittedWhen: 'A call of an automation to the outside has failed.',
    payload: z.looseObject({
      request: z.looseObject({ url: text }),
      response: z.looseObject({ status: number, body: anything.optional(), headers: open }).optional(),
      error: z
        .looseObject({
          error: text.optional(),
          message: text.optional(),
          details: anything.optional(),
          status: number.optional(),
        })
        .optional(),
    }),
  }),
  interactionsTriggered: event({
    type: 'runtime.interactions.triggered',
    emittedWhen: 'Somebody outside has started a run.',
    payload: z.looseObject({
      workspaceId: text,
      sourceWorkspaceId: text.optional(),
      authenticatedWorkspaceId: text.optional(),
      automation: text,
      trigger: trigger,
      startedAt: text,
    }),
  }),
  schedulesCreated: event({
    type: 'runtime.schedules.created',
    emittedWhen: 'Schedules were set.',
    payload: z.looseObject({ slug: text, schedules: schedules, details: open.optional() }),
  }),
  schedulesTriggered: event({
    type: 'runtime.schedules.triggered',
    emittedWhen: 'A schedule has started a run.',
    payload: z.looseObject({
      workspaceId: text,
      sourceWorkspaceId: text.optional(),
      authenticatedWorkspaceId: text.optional(),
      automation: text,
      trigger: trigger.extend({ type: z.literal('schedule') }),
      startedAt: text,
    }),
  }),
  waitsFulfilled: event({
    type: 'runtime.waits.fulfilled',
    emittedWhen: 'An event came that a run waited for.',
    payload: z.looseObject({ id: text, event: open }),
  }),
  waitsPending: event({
    type: 'runtime.waits.pending',
    emittedWhen: 'A run waits for an event.',
    payload: z.looseObject({ id: text, expiresAt: number, wait: open }),
  }),
} as const
