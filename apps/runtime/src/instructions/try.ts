import type { TryArguments } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import { AutomationFailure, Break } from '../automations/automation-failure.ts'
import { assign } from '../automations/change-variable.ts'
import type { Execute, Frame } from '../automations/model.ts'
import type { Instruction } from './instruction.ts'

const errorPath = { segments: ['$error'], append: false }

/**
 * try: steps whose failure is caught, also where nothing is to be done about it; `$error` tells of it in `catch` and
 * after. `finally` runs either way, also when the run is cancelled, but not where its workspace is suspended: that is
 * left to whoever retries it. With `finally` and no `catch` a failure goes on: that only cleans up.
 */
export const tryCatch: Instruction<TryArguments> = {
  name: 'try',
  compile(args, context) {
    const attempt = context.steps(args.do, '.do')
    const onlyCleansUp = args.catch === undefined && args.finally !== undefined
    const recover = onlyCleansUp ? undefined : context.steps(args.catch ?? [], '.catch')
    const cleanUp = inFinally(context.steps(args.finally ?? [], '.finally'))
    return async (frame) => {
      try {
        await attempt(frame)
      } catch (error) {
        const caught = recover === undefined ? undefined : describe(error)
        if (caught === undefined || recover === undefined) throw error
        assign(frame, errorPath, caught)
        await recover(frame)
      } finally {
        await cleanUp(frame)
      }
    }
  },
}

const inFinally = (steps: Execute) => async (frame: Frame) => {
  if (!frame.run.isSuspended) await steps({ ...frame, inFinally: true })
}

/** `$error`, or undefined for what goes on: breaks of narrower scope and the end of the run. */
function describe(error: unknown): Record<string, unknown> | undefined {
  if (error instanceof Break && error.scope === 'all') {
    return { ...(isRecord(error.payload) ? error.payload : {}), break: error.payload ?? {} }
  }
  if (!(error instanceof AutomationFailure) || error.fatal) return undefined
  const { name, message, details } = error.failure
  return { error: name, name, message, ...(details === undefined ? {} : { details }) }
}
