import type { DeleteArguments } from '@platform/contracts'
import type { Instruction } from './instruction.ts'

/** delete: removes a variable or a part of one; nothing happens when it isn't there. */
export const deleteVariable: Instruction<DeleteArguments> = {
  name: 'delete',
  compile({ name, scope }, { texts }) {
    const path = texts.path(scope === undefined || name.startsWith(`${scope}.`) ? name : `${scope}.${name}`)
    return (frame) => frame.variables.remove(path.resolve(frame.variables, frame.run.options))
  },
}
