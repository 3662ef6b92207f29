import type { EventOptions, EventTarget } from '@platform/contracts'

/** The size of an event: UTF-16 length of the JSON text of type, payload, target and options (decisions F4). */
export const eventSize = (event: {
  type: string
  payload: unknown
  target?: EventTarget | undefined
  options?: EventOptions | undefined
}): number =>
  JSON.stringify({ type: event.type, payload: event.payload, target: event.target, options: event.options })
    .length
