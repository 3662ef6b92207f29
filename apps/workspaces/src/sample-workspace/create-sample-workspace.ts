import {
  type AutomationDefinition,
  createSampleWorkspace as endpoint,
  type WorkspaceInput,
} from '@platform/contracts'
import { route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { AutomationChange } from '../automations/automation-store.ts'
import { addAutomation } from '../automations/saved-automation.ts'
import { type Actor, actorOf } from '../changes/actor.ts'
import { addWorkspace } from '../workspaces/create-workspace.ts'
import { newWorkspace } from '../workspaces/workspace.ts'
import type { WorkspaceChange } from '../workspaces/workspace-store.ts'

interface Deps {
  changes: { commit<T>(work: (change: WorkspaceChange & AutomationChange) => Promise<T>): Promise<T> }
  clock: Clock
  eventMaxLength: number
}

export const createSampleWorkspace = (deps: Deps) =>
  route(endpoint, {
    handle: ({ body, principal, request }) => makeSample(deps, body.ownerId, actorOf(principal, request)),
  })

/** Makes the sample once in the life of the platform; later calls answer what was made. */
async function makeSample(deps: Deps, ownerId: string, actor: Actor) {
  const now = deps.clock.now()
  const record = newWorkspace(sampleInput, ownerId, now)
  const owner = { ...actor, id: ownerId }
  return await deps.changes.commit(async (change) => {
    const id = await change.workspaces.claimOnce('sample', record.id)
    if (id !== record.id) return { id, slug: record.slug, created: false }
    const { slug } = await addWorkspace(change, record, ownerId, owner, deps.eventMaxLength)
    for (const automation of sampleAutomations) {
      await addAutomation(change, id, automation, owner, { now, eventMaxLength: deps.eventMaxLength })
    }
    return { id, slug, created: true }
  })
}

/** The workspace a newcomer finds. */
const sampleInput: WorkspaceInput = {
  name: 'Hello',
  slug: 'hello',
  description: 'A first workspace: one automation behind a URL, one that answers an event.',
}

/** Its automations, as the README walks through them. */
export const sampleAutomations: readonly AutomationDefinition[] = [
  {
    slug: 'greet',
    name: 'Greet',
    description: 'Answers the URL …/webhooks/greet: POST {"name": "Ada"}.',
    when: { endpoint: true },
    do: [
      { set: { name: 'name', value: '{% {{body.name}} or "world" %}' } },
      { emit: { event: 'visitor.greeted', payload: { name: '{{name}}' } } },
    ],
    output: { message: 'Hello {{name}}!' },
  },
  {
    slug: 'on-order',
    name: 'On order',
    description: 'Runs for each order.placed event and emits order.confirmed.',
    when: { events: ['order.placed'] },
    do: [
      { set: { name: 'confirmation', value: { id: '{% uuid() %}', order: '{{payload}}' } } },
      { emit: { event: 'order.confirmed', payload: '{{confirmation}}' } },
    ],
    output: '{{confirmation}}',
  },
]
