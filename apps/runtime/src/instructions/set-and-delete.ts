import type { DeleteArguments, SetArguments } from '@platform/contracts'
import { assign, remove } from '../automations/change-variable.ts'
import type { Frame } from '../automations/model.ts'
import type { Rebound } from '../contexts/contexts.ts'
import type { SetType } from '../contexts/variables.ts'
import { type Instruction, invalidInstruction } from './instruction.ts'

const types: ReadonlySet<unknown> = new Set<SetType>(['replace', 'merge', 'push'])

/**
 * set: writes a variable. Values are never shared between variables, so `clone` has nothing left to do. What is written
 * to `$http` shapes the answer of the request, to `user.id` or `session.id` makes the context that of somebody else.
 */
export const set: Instruction<SetArguments> = {
  name: 'set',
  compile({ name, value, type, scope, lifespan, lifespans }, { texts }) {
    const path = texts.path(scope === undefined || name.startsWith(`${scope}.`) ? name : `${scope}.${name}`)
    const readValue = texts.reader(value)
    const readType = texts.reader(type ?? 'replace')
    const readLifespan = texts.reader(lifespan ?? lifespans)
    return (frame) => {
      const how = readType(frame)
      if (!isSetType(how)) throw invalidInstruction('The type of set must be replace, merge or push.')
      const target = path.resolve(frame.variables, frame.run.options)
      const [root, ...rest] = target.segments
      if (root === '$http' && frame.http !== undefined)
        return frame.http.assign(rest, readValue(frame), () => frame.run.settle())
      if (isIdentity(frame, target.segments)) return rebind(frame, root as Rebound, readValue(frame))
      assign(frame, target, readValue(frame), how)
      expire(frame, target.segments, readLifespan(frame))
    }
  },
}

/** True for `user.id` and `session.id`. */
const isIdentity = ({ variables }: Frame, [root, key, ...rest]: readonly (string | number)[]): boolean =>
  (root === 'user' || root === 'session') && key === 'id' && rest.length === 0 && variables.isContext(root)

const LONGEST_ID = 200

/** The context is another user's or session's from here on; what the run may do stays what its caller may. */
function rebind(frame: Frame, name: Rebound, value: unknown): Promise<void> | undefined {
  const id = typeof value === 'number' ? String(value) : value
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID)
    throw invalidInstruction(`"${name}.id" must be set to a text of 1 to ${LONGEST_ID} characters.`)
  frame.run.contexts.rebind(name, id)
  return frame.run.prepareContexts(frame.automation)
}

const LONGEST_SECONDS = 10 * 366 * 86_400

/** Only what is kept has to end: a variable of a call ends with it. */
function expire({ run }: Frame, segments: readonly (string | number)[], lifespan: unknown): void {
  if (lifespan === undefined || lifespan === null || lifespan === '') return
  const seconds = Number(lifespan)
  if (!(seconds > 0 && seconds <= LONGEST_SECONDS))
    throw invalidInstruction('The lifespan of set must be a number of seconds above 0.')
  if (segments.length > 1 && run.contexts.has(String(segments[0])))
    run.contexts.expire(segments, run.readClock().getTime() + seconds * 1000)
}

const isSetType = (type: unknown): type is SetType => types.has(type)

/** delete: removes a variable or a part of one; nothing happens when it isn't there. */
export const deleteVariable: Instruction<DeleteArguments> = {
  name: 'delete',
  compile({ name, scope }, { texts }) {
    const path = texts.path(scope === undefined || name.startsWith(`${scope}.`) ? name : `${scope}.${name}`)
    return (frame) => remove(frame, path.resolve(frame.variables, frame.run.options))
  },
}
