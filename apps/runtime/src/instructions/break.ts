import type { BreakArguments } from '@platform/contracts'
import { Break } from '../automations/automation-failure.ts'
import { MAX_OUTPUT, requireSize } from '../contexts/value-size.ts'
import { type Instruction, invalidInstruction } from './instruction.ts'

const scopes: ReadonlySet<unknown> = new Set<Break['scope']>(['automation', 'repeat', 'all'])

/** break: ends the automation, the repeat around, or everything up to the nearest `try`. */
export const breakOut: Instruction<BreakArguments> = {
  name: 'break',
  compile(args, { texts }) {
    const readScope = texts.reader(args?.scope)
    const readPayload = texts.reader(args?.payload)
    return (frame) => {
      const scope = readScope(frame) ?? 'automation'
      if (!isScope(scope)) throw invalidInstruction('The scope of break must be automation, repeat or all.')
      const payload = readPayload(frame)
      requireSize(payload, MAX_OUTPUT, () => 'The payload of break')
      throw new Break(scope, payload)
    }
  },
}

const isScope = (scope: unknown): scope is Break['scope'] => scopes.has(scope)
