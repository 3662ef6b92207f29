import type { RunArguments } from '@platform/contracts'
import type { EventLimits } from '@platform/outbox'
import { AutomationFailure, Break } from '../automations/automation-failure.ts'
import { failedEvent } from '../automations/error-event.ts'
import type { Frame } from '../automations/model.ts'
import type { ModuleCall, ModuleStores } from '../modules/module.ts'
import { callModule } from '../modules/modules.ts'
import { type Instruction, invalidInstruction } from './instruction.ts'

const WAYS: readonly unknown[] = ['break', 'emit', 'continue']

/** run: a function of a module. What fails there fails the step, unless `onError` says otherwise. */
export const run = (limits: EventLimits, stores?: ModuleStores): Instruction<RunArguments> => ({
  name: 'run',
  compile(args, { texts, path }) {
    const readModule = texts.reader(args.module)
    const readFunction = texts.reader(args.function)
    const readParameters = texts.reader(args.parameters)
    const readOnError = texts.reader(args.onError ?? 'break')
    const write = texts.writer(args.output)
    return (frame) => {
      const [module, name] = [String(readModule(frame)), String(readFunction(frame))]
      const onError = wayOf(readOnError(frame), 'run')
      const fail = (error: unknown) => failed(frame, error, path, onError, limits, write)
      try {
        const parameters = readParameters(frame)
        frame.observed?.runs(`${module}.${name}`, parameters)
        const result = call(module, name, parameters, { frame, path, stores })
        if (result instanceof Promise)
          return result.then((value) => answered(frame, value, write)).catch(fail)
        answered(frame, result, write)
      } catch (error) {
        return fail(error)
      }
    }
  },
})

/** What is done about a failure. Throws InvalidInstructionError. */
export function wayOf(given: unknown, instruction: string): unknown {
  const way = given ?? 'break'
  if (WAYS.includes(way)) return way
  throw invalidInstruction(`${instruction}.onError must be break, emit or continue.`)
}

/** What a test has to say about it comes first. */
function call(module: string, name: string, parameters: unknown, place: ModuleCall): unknown {
  const { stubs } = place.frame.run
  return stubs === undefined
    ? callModule(module, name, parameters, place)
    : stubs.callModule(module, name, parameters, place)
}

function answered(frame: Frame, value: unknown, write: (frame: Frame, value: unknown) => void): void {
  frame.observed?.output(value)
  write(frame, value)
}

/** Goes on with the failure as the output where the step says so; what ends the whole run is never gone on with. */
export async function failed(
  frame: Frame,
  error: unknown,
  path: string,
  onError: unknown,
  limits: EventLimits,
  write: (frame: Frame, value: unknown) => void,
): Promise<void> {
  if (onError === 'break' || error instanceof Break) throw error
  const known = new AutomationFailure(error, frame.automation.slug, path)
  if (known.fatal) throw error
  frame.run.heed(known)
  write(frame, known.failure.toJSON())
  if (onError !== 'emit') return
  const place = await frame.run.workspace.placeOf(frame.automation.slug, path)
  await frame.run.record(failedEvent(frame, known, place, limits))
}
