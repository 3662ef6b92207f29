import {
  instructionDescriptions,
  type ModuleDescription,
  modules,
  stepRetryDescription,
} from '@platform/contracts'
import { expect, test } from 'vitest'
import { runYaml } from '../../test/automation-tests.ts'

interface Example {
  readonly do: readonly object[]
  readonly output?: unknown
  readonly gives?: unknown
}

/** What the documents say of the language holds in tests as well; what leaves is answered by the test. */
const examples: [string, Example][] = [
  ['retry', stepRetryDescription.example],
  ...Object.entries<{ example: Example }>(instructionDescriptions).map(
    ([name, { example }]): [string, Example] => [name, example],
  ),
  ...Object.entries<ModuleDescription>(modules).map(([name, { example }]): [string, Example] => [
    `the module ${name}`,
    example,
  ]),
]
const leaves = ({ do: steps }: Example) => /"fetch"|Custom Code|"auth"/.test(JSON.stringify(steps))

test.each(examples.filter(([, example]) => !leaves(example)))(
  'the example of %s gives in a test what the documents say',
  async (_, { do: steps, output, gives }) => {
    const automations = {
      main: { do: [...steps] as Record<string, unknown>[], output },
      greet: { output: 'Hello {{name}}' },
    }
    const order = {
      automation: 'main',
      arguments: { body: { key: 'sk-of-the-shop' } },
      expect: { output: gives },
    }
    const { results } = await runYaml(JSON.stringify(order), automations)
    expect(results.flatMap(({ differences }) => differences)).toEqual([])
  },
)
