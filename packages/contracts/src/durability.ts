import { z } from 'zod'

const Priority = z
  .int()
  .min(-100)
  .max(100)
  .describe(
    '-100 to 100, 0 without it: of the queued runs of the workspace those with the greater one go first.',
  )

/** How the queued runs of an automation are treated, as it is checked when it is saved. */
export const durability = { priority: Priority.optional() }

/** The same as it is read: what was saved before there was such a field, and can't be one, says nothing. */
export const savedDurability = { priority: Priority.optional().catch(undefined) }

/** An automation that says how its queued runs are treated, as the documents show it. */
export const durabilityExample = {
  slug: 'charge',
  name: 'charge',
  when: { events: ['order.placed'] },
  priority: 10,
  do: [{ emit: { event: 'order.charged', payload: { id: '{{payload.id}}' } } }],
} as const
