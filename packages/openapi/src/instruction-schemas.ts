import { type InstructionName, instructionDescriptions, instructionSchemas } from '@platform/contracts'
import type { Json } from './declared.ts'
import type { SchemaBook } from './schema-book.ts'

/** What a step of an automation may be, from the contracts that check it when it is saved. */
export function instructionComponents(book: SchemaBook): Record<string, Json> {
  const names = Object.keys(instructionSchemas) as InstructionName[]
  return {
    Instruction: {
      type: 'object',
      description:
        'One step of an automation: an instruction with its arguments. Any other key is the slug of an ' +
        'automation, with the arguments of the call.',
      properties: Object.fromEntries(names.map((name) => [name, argumentsOf(name, book)])),
      additionalProperties: {},
    },
  }
}

function argumentsOf(name: InstructionName, book: SchemaBook): Json {
  return { ...book.named(instructionSchemas[name]), description: instructionDescriptions[name].text }
}
