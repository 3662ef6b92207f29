import type { DeleteArguments, SetArguments } from '@platform/contracts'
import { assign, remove } from '../automations/change-variable.ts'
import type { SetType } from '../contexts/variables.ts'
import { type Instruction, invalidInstruction } from './instruction.ts'

const types: ReadonlySet<unknown> = new Set<SetType>(['replace', 'merge', 'push'])

/**
 * set: writes a variable. Values are never shared between variables, so `clone` has nothing left to do. What is written
 * to `$http` shapes the answer of the request.
 */
export const set: Instruction<SetArguments> = {
  name: 'set',
  compile({ name, value, type, scope }, { texts }) {
    const path = texts.path(scope === undefined || name.startsWith(`${scope}.`) ? name : `${scope}.${name}`)
    const readValue = texts.reader(value)
    const readType = texts.reader(type ?? 'replace')
    return (frame) => {
      const how = readType(frame)
      if (!isSetType(how)) throw invalidInstruction('The type of set must be replace, merge or push.')
      const target = path.resolve(frame.variables, frame.run.options)
      const [root, ...rest] = target.segments
      if (root === '$http' && frame.http !== undefined)
        return frame.http.assign(rest, readValue(frame), () => frame.run.settle())
      assign(frame, target, readValue(frame), how)
    }
  },
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
