/** What other tools call the parts of an automation. */
const fields: Readonly<Record<string, string>> = {
  when: 'what starts an automation stands in when, such as when: { endpoint: true } or when: { events: [order.paid] }',
  schedules: 'times stand in when, as schedules such as when: { schedules: ["0 9 * * *"] }',
  endpoint: 'the URL stands in when, such as when: { endpoint: true }',
  do: 'instructions stand in do, one after the other',
  conditions: 'a decision is a step in do, such as - conditions: { "{{ok}} == true": [ … ], default: [ … ] }',
  arguments: 'what it is given stands in arguments, such as arguments: { name: { type: string } }',
  output: 'what it answers stands in output',
  name: 'the title of an automation is its name',
  disabled: 'an automation is switched off by disabled: true',
}

const fieldOf: Readonly<Record<string, string>> = {
  ...named('when', ['trigger', 'triggers', 'on', 'event']),
  ...named('schedules', ['schedule', 'cron']),
  ...named('endpoint', ['webhook', 'endpoint', 'url', 'path', 'route']),
  ...named('do', [
    'steps',
    'actions',
    'tasks',
    'jobs',
    'nodes',
    'modules',
    'run',
    'script',
    'workflow',
    'flow',
  ]),
  ...named('conditions', ['if', 'then', 'else', 'switch', 'branches']),
  ...named('arguments', ['inputs', 'input', 'parameters', 'params', 'args', 'schema']),
  ...named('output', ['outputs', 'return', 'result', 'response']),
  ...named('name', ['title', 'summary']),
  ...named('disabled', ['enabled', 'active']),
}

/** What other tools call instructions. */
const instructions: Readonly<Record<string, string>> = {
  conditions: 'decide with conditions, such as - conditions: { "{{ok}} == true": [ … ], default: [ … ] }',
  repeat: 'go through a list with repeat, such as - repeat: { on: "{{list}}", do: [ … ] }',
  all: 'do several things at once with all, such as - all: [ … ]',
  try: 'catch a failure with try, such as - try: { do: [ … ], catch: [ … ] }',
  fetch: 'ask another system with fetch, such as - fetch: { url: https://example.com, output: answer }',
  set: 'keep a value with set, such as - set: { name: total, value: 1 }',
  emit: 'tell of something with emit, such as - emit: { event: order.paid, payload: { id: 1 } }',
  wait: 'wait with wait, such as - wait: { timeout: 5 }',
  call: 'call another automation by its slug, such as - greet: { name: Ada, output: greeting }',
  output: 'answer with output, which stands beside do',
  when: 'what starts an automation stands in when, beside do',
  step: 'a step is one instruction, such as - set: { name: total, value: 1 }',
}

const instructionOf: Readonly<Record<string, string>> = {
  ...named('conditions', [
    'if',
    'then',
    'else',
    'elseif',
    'elif',
    'switch',
    'case',
    'unless',
    'condition',
    'branchone',
  ]),
  ...named('repeat', [
    'for',
    'foreach',
    'for_each',
    'forloopflow',
    'loop',
    'while',
    'each',
    'map',
    'splitinbatches',
  ]),
  ...named('all', ['parallel', 'concurrently', 'branchall']),
  ...named('try', ['catch', 'finally', 'onerror', 'continue-on-error']),
  ...named('fetch', ['http', 'request', 'httprequest', 'curl', 'get', 'post']),
  ...named('set', ['let', 'assign', 'var', 'variable', 'variables', 'env']),
  ...named('emit', ['publish', 'send', 'dispatch']),
  ...named('wait', ['sleep', 'delay', 'pause']),
  ...named('call', ['call', 'invoke', 'execute', 'uses', 'subflow', 'executeworkflow']),
  ...named('output', ['return', 'respond', 'response', 'respondtowebhook']),
  ...named('when', ['trigger', 'on', 'webhook', 'schedule', 'cron']),
  ...named('step', ['steps', 'name', 'id', 'type', 'with', 'action']),
}

function named(word: string, others: readonly string[]): Record<string, string> {
  return Object.fromEntries(others.map((other) => [other, word]))
}

const find = (
  table: Readonly<Record<string, string>>,
  sentences: Readonly<Record<string, string>>,
  word: string,
) => {
  const known = word.toLowerCase()
  return Object.hasOwn(table, known) ? sentences[table[known] ?? ''] : undefined
}

/** What to write in the place of a field that other tools have. */
export const hintForField = (field: string): string | undefined => find(fieldOf, fields, field)

/** What to write in the place of a step that other tools have. */
export const hintForStep = (word: string): string | undefined => find(instructionOf, instructions, word)

/** The same for several words in one step; what says least comes last. */
export function hintForSteps(words: readonly string[]): string | undefined {
  const hints = words.flatMap((word) => hintForStep(word) ?? [])
  return hints.find((hint) => hint !== instructions.step) ?? hints[0]
}
