import type { SetArguments } from '@platform/contracts'
import type { SetType } from '../contexts/variables.ts'
import { type Instruction, invalidInstruction } from './instruction.ts'

const types: ReadonlySet<unknown> = new Set<SetType>(['replace', 'merge', 'push'])

/** set: writes a variable. Values are never shared between variables, so `clone` has nothing left to do. */
export const set: Instruction<SetArguments> = {
  name: 'set',
  compile({ name, value, type, scope }, { texts }) {
    const path = texts.path(scope === undefined || name.startsWith(`${scope}.`) ? name : `${scope}.${name}`)
    const readValue = texts.reader(value)
    const readType = texts.reader(type ?? 'replace')
    return (call) => {
      const how = readType(call)
      if (!isSetType(how)) throw invalidInstruction('The type of set must be replace, merge or push.')
      call.variables.assign(path.resolve(call.variables, call.chain.options), readValue(call), how)
    }
  },
}

const isSetType = (type: unknown): type is SetType => types.has(type)
