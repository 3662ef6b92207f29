import type { AutomationDefinition, WorkspaceInput } from '@platform/contracts'

/** The workspace a newcomer finds (decisions I16). */
export const sampleInput: WorkspaceInput = {
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
