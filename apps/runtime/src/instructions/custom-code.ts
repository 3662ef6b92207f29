import type { CustomCodeArguments } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import type { EventLimits } from '@platform/outbox'
import type { Frame } from '../automations/model.ts'
import { callFunction, functionNotFound } from '../functions/call-function.ts'
import type { ModuleStores } from '../modules/module.ts'
import type { Instruction } from './instruction.ts'
import { failed, wayOf } from './run.ts'

/** The name under which tests of automations answer for functions. */
const MODULE = 'Custom Code'

/** Custom Code.run: a function that the workspace declares. What it throws fails the step, or is as `onError` says. */
export const customCode = (limits: EventLimits, stores?: ModuleStores): Instruction<CustomCodeArguments> => ({
  name: 'Custom Code.run',
  compile(args, { texts, path }) {
    const readFunction = texts.reader(args.function)
    const readParameters = texts.reader(args.parameters)
    const readOnError = texts.reader(args.onError ?? 'break')
    const write = texts.writer(args.output)
    return async (frame) => {
      const onError = wayOf(readOnError(frame), 'Custom Code.run')
      try {
        const name = String(readFunction(frame))
        const result = await resultOf(frame, path, name, readParameters(frame), stores)
        frame.observed?.output(result)
        write(frame, result)
      } catch (error) {
        await failed(frame, error, path, onError, limits, write)
      }
    }
  },
})

/** What a test has to say about it comes first. */
async function resultOf(
  frame: Frame,
  path: string,
  name: string,
  parameters: unknown,
  stores: ModuleStores | undefined,
): Promise<unknown> {
  const { stubs, workspace } = frame.run
  const found = stubs === undefined ? await workspace.findFunction(name) : undefined
  const shown = found !== undefined && isRecord(parameters) ? found.inputs.redacted(parameters) : parameters
  frame.observed?.runs(name, shown)
  if (stubs !== undefined) return await stubs.callModule(MODULE, name, parameters, { frame, path })
  if (found === undefined) throw functionNotFound(name)
  return await callFunction(frame, path, found, parameters, stores)
}
