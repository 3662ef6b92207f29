import type { EmitArguments } from '@platform/contracts'
import type { EventLimits } from '@platform/outbox'
import { eventOf, handOn, readOptions, readTarget } from './emitted-event.ts'
import type { Instruction } from './instruction.ts'

/** emit: emits an event of the workspace. It is committed with the run, and never twice when the run is done again. */
export const emit = (limits: EventLimits): Instruction<EmitArguments> => ({
  name: 'emit',
  compile(args, context) {
    const typeOf = context.texts.reader(args.event)
    const payloadOf = context.texts.reader(args.payload ?? {})
    const targetOf = context.texts.reader(args.target)
    const optionsOf = context.texts.reader(args.options)
    const write = context.texts.writer(args.output)
    return async (frame) => {
      const type = typeOf(frame)
      const payload = payloadOf(frame)
      const target = readTarget(type, targetOf(frame))
      const options = readOptions(optionsOf(frame))
      const record = eventOf(frame, context.path, { type, payload, target, options }, limits)
      const throttled = frame.run.throttle('emits', 1, frame)
      if (throttled !== undefined) await throttled

      write(frame, record)
      await handOn(frame, record)
    }
  },
})
