import { type InstructionName, instructionDescriptions, notYetRunnable } from '@platform/contracts'
import { expect, test } from 'vitest'
import { compiled, runMain } from '../../test/testing.ts'

const missing: ReadonlySet<string> = new Set(notYetRunnable)
const names = Object.keys(instructionDescriptions) as InstructionName[]

test.each(names)('the example of %s can be compiled and uses it', async (name) => {
  const { do: steps } = instructionDescriptions[name].example
  expect((await compiled({ main: { do: [...steps] } }).compile('main'))?.problems).toEqual([])
  expect(JSON.stringify(steps)).toContain(`"${name}":`)
})

test.each(names.filter((name) => !missing.has(name)))(
  'the example of %s gives what the documents say',
  async (name) => {
    const { do: steps, output, gives } = instructionDescriptions[name].example
    const greet = { output: 'Hello {{name}}' }
    const { failed, output: given } = await runMain(compiled({ main: { do: [...steps], output }, greet }))
    expect(failed).toBeUndefined()
    expect(given).toEqual(gives)
  },
)
