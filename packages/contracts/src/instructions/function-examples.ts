import { exampleFunctionInput } from '../example-values.ts'
import type { FunctionInput } from '../functions.ts'

/** A function as the documents show it, called with `parameters`; the tests run it. */
interface FunctionExample {
  readonly text: string
  readonly declared: FunctionInput
  readonly parameters: Readonly<Record<string, unknown>>
  readonly gives: unknown
}

/** What the documents say of functions in code. */
export const functionsDescription: { readonly text: string; readonly examples: readonly FunctionExample[] } =
  {
    text:
      'A workspace declares functions in JavaScript, TypeScript (`ts`) or Python (`py`), by `PUT ' +
      '/v2/functions/{id}/{name}` or all at once by `POST /v2/functions/{id}`, which makes them be exactly ' +
      'those it is sent. Automations call them with `Custom Code.run`; `POST /v2/functions/{id}/run/{name}` ' +
      'calls one by itself, for whoever may execute automations as a member, and answers `{result, logs, ' +
      'duration}`.\n\n' +
      'The code is the body of a function that finds its parameters by their names, or a module that ' +
      'exports one function: as `export default` or `module.exports =`, in Python as `def main(…)`. It may ' +
      'wait with `await`. What it returns comes back as JSON; what it writes (`console.log`, `print`) is ' +
      'shown with the step of the run. ' +
      'Nothing of a call is left for the next. `fetch` calls the outside as the instruction of that name ' +
      'does: guarded, within the limits of the workspace, and with the secrets that references stand for ' +
      '(`$secret:…`). There are no files, no environment ' +
      'and no other network.\n\n' +
      'JavaScript and TypeScript find `fetch`, `Headers`, `URL`, `URLSearchParams`, `AbortController`, ' +
      '`AbortSignal`, `TextEncoder`, `TextDecoder`, `structuredClone`, `atob`, `btoa`, `Buffer`, `console`, ' +
      'timers, and of `crypto` `randomUUID`, `getRandomValues` and `subtle.digest`. Of the modules of Node, ' +
      'with or without `node:`, there are `assert`, `buffer`, `crypto` (`createHash` and `createHmac` with ' +
      'md5, sha1, sha256, sha384 and sha512, `randomBytes`, `randomInt`, `randomUUID`, `timingSafeEqual`), ' +
      '`events`, `path`, `querystring`, `url` and `util`, by `import` or `require`; instead of `http` and ' +
      '`https` there is `fetch`. Libraries are those that the platform brings; those named in `dependencies` ' +
      'are checked when the function is saved. Python has its standard library, and `fetch`, whose answer ' +
      'has `status`, `headers`, `await answer.json()`, `text()` and `bytes()`.\n\n' +
      'A call may take FUNCTIONS_RUN_TIMEOUT, or the `timeout` of the function where that is less, and so ' +
      'much of memory and processor as the operator allows; whoever needs more fails with `FunctionError`, ' +
      'alone. Its `details` say why (`reason`: threw, timedOut, outOfMemory …) and in which `line` and ' +
      '`column`. A run keeps the functions it began with, as it keeps its automations.',
    examples: [
      {
        text: 'The function `total`, as a module:',
        declared: exampleFunctionInput,
        parameters: { items: [{ price: 2 }, { price: 3 }] },
        gives: 5,
      },
      {
        text: 'With types and a library; `name` and `born` are its parameters:',
        declared: {
          name: 'greeting',
          language: 'typescript',
          code: [
            "import dayjs from 'dayjs'",
            'const year: number = dayjs(born).year()',
            "console.log('born in', year)",
            "return { text: 'Hello ' + name, year }",
          ].join('\n'),
          parameters: { name: { type: 'string', required: true }, born: { type: 'string' } },
          validateParameters: true,
          dependencies: ['dayjs'],
        },
        parameters: { name: 'Ada', born: '1815-12-10' },
        gives: { text: 'Hello Ada', year: 1815 },
      },
      {
        text: 'In Python:',
        declared: {
          name: 'mean',
          language: 'python',
          code: ['def main(values):', '    return sum(values) / len(values)'].join('\n'),
          parameters: { values: { type: 'array', items: { type: 'number' } } },
          timeout: '10s',
        },
        parameters: { values: [1, 2, 6] },
        gives: 3,
      },
    ],
  }
