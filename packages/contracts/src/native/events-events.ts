import { z } from 'zod'
import { event } from '../event.ts'
import { anything, open, text, texts } from './field.ts'

/** The events service and those who listen to it. */
export const eventServiceEvents = {
  nodesJoined: event({
    type: 'events.nodes.joined',
    emittedWhen: 'An instance of the events service has begun.',
    payload: z.looseObject({ id: text, targetTopic: text }),
  }),
  nodesLeft: event({
    type: 'events.nodes.left',
    emittedWhen: 'An instance of the events service has ended.',
    payload: z.looseObject({ id: text, targetTopic: text }),
  }),
  nodesSync: event({
    type: 'events.nodes.sync',
    emittedWhen: 'An instance of the events service tells the others about itself.',
    payload: z.looseObject({ id: text, targetTopic: text, metadata: open.optional() }),
  }),
  subscribersJoined: event({
    type: 'events.subscribers.joined',
    emittedWhen: 'Somebody has begun to listen to live events; it is not kept.',
    payload: open,
  }),
  subscribersLeft: event({
    type: 'events.subscribers.left',
    emittedWhen: 'Somebody has ceased to listen to live events; it is not kept.',
    payload: open,
  }),
  userTopicsCreated: event({
    type: 'events.userTopics.created',
    emittedWhen: 'A topic that users can join was made.',
    payload: open,
  }),
  userTopicsJoined: event({
    type: 'events.userTopics.joined',
    emittedWhen: 'A user has joined a topic.',
    payload: z.looseObject({ user: z.looseObject({ id: text }), topic: text }),
  }),
  websocketsMessage: event({
    type: 'events.websockets.message',
    emittedWhen: 'A message is for listeners on other instances.',
    payload: z.looseObject({ rooms: texts, event: anything.optional() }),
  }),
} as const
