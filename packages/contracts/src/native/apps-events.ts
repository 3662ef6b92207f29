import { z } from 'zod'
import { event } from '../event.ts'
import { number, open, text } from './field.ts'

/** Apps, and what apps report. */
export const appEvents = {
  published: event({
    type: 'apps.published',
    emittedWhen: 'A workspace was published as an app.',
    payload: z.looseObject({ app: open, rebuildModel: z.boolean().optional() }),
  }),
  deleted: event({
    type: 'apps.deleted',
    emittedWhen: 'An app was deleted.',
    payload: z.looseObject({ appSlug: text }),
  }),
  usage: event({
    type: 'usage',
    emittedWhen:
      'Usage was recorded: an app reports what was used, or the platform has counted runs of the workspace.',
    payload: z.looseObject({
      metrics: z.record(text, z.object({ value: number, action: z.enum(['set', 'increment']) })),
    }),
  }),
} as const
