import {
  answerDescription,
  DetailedSchedule,
  durability,
  durabilityExample,
  functionsDescription,
  type InstructionName,
  instructionDescriptions,
  instructionSchemas,
  type ModuleDescription,
  modules,
  stepRetryDescription,
} from '@platform/contracts'
import { z } from 'zod'
import {
  type ContextDescription,
  contextDescriptions,
} from '../../apps/runtime/src/contexts/described-contexts.ts'
import { type FunctionDescription, functionDescriptions } from '../../packages/expressions/src/index.ts'
import { fieldRows } from './field-rows.ts'

/** `docs/automations.md`: the language of automations, from the contracts and descriptions beside what runs it. */
export function automationsPage(): string {
  const parts = [
    '# Automations',
    'Generated from packages/contracts, packages/expressions and apps/runtime. The examples are run by the tests.',
    introduction,
    '## Schedules',
    schedules,
    '## Runs that wait their turn',
    queuedRuns,
    '## Instructions',
    'A step is one instruction with its arguments. A field with `*` is always needed. Any other ' +
      'key is the slug of an automation, called with what stands behind it; `output` names the ' +
      'variable for its result.',
    ...Object.keys(instructionSchemas).map((name) => instructionSection(name as InstructionName)),
    '### retry beside an instruction',
    stepRetryDescription.text,
    exampleOf(stepRetryDescription.example),
    '## Modules',
    'Functions that `run` calls. What is passed is checked when the automation is saved, with a warning, as far ' +
      'as no template is in the way, and again when the function is called: then it fails with ' +
      '`InvalidArgumentsError`.',
    ...Object.entries<ModuleDescription>(modules).map(moduleSection),
    '## Custom code',
    functionsDescription.text,
    ...functionsDescription.examples.map(functionSection),
    '## The answer of a URL trigger',
    answerDescription.text,
    exampleOf(answerDescription.example),
    answerDescription.chunks,
    exampleOf(answerDescription.streamed),
    answerDescription.passedOn,
    exampleOf(answerDescription.proxied),
    answerDescription.scope,
    '## Variables and contexts',
    'The arguments of an automation are its variables; at a URL trigger `body`, `query`, ' +
      '`headers`, `method`, `pathParams` and `rawBody`, for an event `payload`, `source` and `id`. ' +
      'What a step sets is a variable of this call. The contexts below outlive it.',
    'Where runs at the same time write a context, the last write of a path wins: one that sets ' +
      '`global.users.ada` and one that sets `global.users.bob` keep both, and all that is pushed to a list is there. ' +
      'What is read before it is written, like a count, is not safe from others: `concurrency` keeps them apart, ' +
      'and `$inc` of `collections` counts.',
    'A context that is kept is for what is small, `collections` for the rest: 100,000 characters of JSON in ' +
      '`user` and `socket`, 500,000 in `run` and `global`, a million in `session` (CONTEXT_USER_MAX_SIZE and so ' +
      'on). An event warns of one that has become larger. The step that would give it four times as many fails ' +
      'with PayloadTooLarge, which `try` catches, and changes nothing in it.',
    ...Object.entries<ContextDescription>(contextDescriptions).map(contextSection),
    '## Functions',
    'Called inside `{% %}` and in the keys of conditions; their names are found whatever their case.',
    ...Object.values(functionDescriptions).map(expressionFunctionSection),
  ]
  return `${parts.join('\n\n')}\n`
}

const exampleOf = (example: Parameters<typeof yamlOf>[0] & { gives: unknown }): string =>
  `\`\`\`yaml\n${yamlOf(withoutResult(example))}\n\`\`\``

const withoutResult = <T extends object>({ gives: _, ...written }: T & { gives: unknown }) => written

const introduction = `An automation is written in YAML or JSON:

\`\`\`yaml
slug: greet
name: greet
when:                # what starts it; each is optional
  endpoint: true     # GET or POST /v2/workspaces/{id}/webhooks/greet
  events:
    - order.placed
  schedules:         # minute hour day month weekday
    - cron: 0 9 * * mon-fri
      timezone: Europe/Paris
arguments:           # JSON schemas by name
  name:
    type: string
validateArguments: true
do:                  # steps, one after another
  - set:
      name: greeting
      value: Hello {{body.name}}
output: '{{greeting}}'
\`\`\`

\`{{path}}\` reads a variable: names, dots and \`[keys]\`, no operators. \`{% expression %}\` computes a
value: \`and\`, \`or\`, \`not\`, \`==\`, \`!=\`, \`<\`, \`<=\`, \`>\`, \`>=\`, \`in\`, \`matches\`, \`exists\`,
\`+\`, \`-\`, \`*\`, \`/\`, \`%\`, \`a ? b : c\`, lists, objects, functions. Keys of \`conditions\` are
expressions without marks. What a variable held is data: it is never read as a template.

What was saved as YAML is answered as that text, comments and all, to a GET with \`Accept: application/yaml\`, until it
is changed as something else; and a run that failed names line and column of it, beside the instruction.
What is the same in several places is written once: \`&name\` marks it, \`*name\` stands for it, and
\`<<: *name\` brings its fields along.`

const schedules = `A schedule is a cron of five fields, as a text or with more beside it: numbers, names (\`mon\`,
\`jan\`), lists (\`1,15\`), ranges (\`mon-fri\`) and steps (\`*/15\`). Where days and weekdays are named either will do.

${fieldTable(z.toJSONSchema(DetailedSchedule))}

Two times of a schedule are at least 15 minutes apart, unless SCHEDULES_MIN_INTERVAL says otherwise. When the clock of
a time zone is changed, a schedule with named hours fires once all the same: a time that is left out at the first moment
after it, one that comes twice at the first. With \`*\` for the hour it follows the clock: what is left out does not
fire, what comes twice fires twice.

The run acts for nobody and has no arguments. \`run.trigger\` is \`{type: "schedule", value, id}\`: the cron, and the
time it was due at. \`GET /v2/workspaces/{id}/schedules\` shows the next five times of each.`

const queuedRuns = `What events, schedules and \`runWorkflow\` with \`wait: false\` start is queued; a request runs its
automation at once. The workspaces take turns, whatever each of them has queued. A run keeps the automations it began
with, also those it calls later: what is saved meanwhile counts for the runs after it. An automation says how its own
runs are treated:

${fieldTable(z.toJSONSchema(z.object({ ...durability, retry: durability.retry.unwrap().unwrap().optional() })))}

\`\`\`yaml
${yamlOf(durabilityExample)}
\`\`\`

A run that failed keeps its id when it is tried again, and what it did before it failed stays done. After the last try
it is a dead letter (\`GET /v2/workspaces/{id}/runs?deadLetter=true\`), and the event \`error\` comes once more with
level \`fatal\`. In \`key\` the arguments of the automation can be read (of an event \`payload\`, \`source\` and
\`id\`), no contexts. A run that a request waits for is neither
tried again nor counted.

With \`debounce\` a run of an event is held until nothing more has come for \`period\`; an event that comes meanwhile
takes its place, and the run before ends as cancelled. So of a burst only the last event is acted on, and after \`max\`
the one that is held then, however many come. Runs of schedules, requests and calls are not held.

With \`durable: true\` a run that a request waits for is kept as those of events are, from its first call to the
outside on; one that calls nothing and ends soon costs nothing more. When its process ends, another goes on with it
within seconds, and the caller gets 503 with \`Retry-After\`. Asked again with the same \`Idempotency-Key\` it answers
409 while the run goes on, then what the run answers (up to 1 MB; of more only the record tells). When a request has
waited as long as it may, the same is true: the run goes on in the queue, for up to 24 h. What it was called with is
kept with it, the headers of the request among them.`

function instructionSection(name: InstructionName): string {
  const { text, example } = instructionDescriptions[name]
  const { gives, functions: _, ...written } = example
  const rows = fieldRows(z.toJSONSchema(instructionSchemas[name], { unrepresentable: 'any', io: 'output' }))
  const table = rows.length === 0 ? '' : `\n\n| Field | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}`
  const result = gives === undefined ? '' : `\n\nIt answers \`${JSON.stringify(gives)}\`.`
  return `### ${name}\n\n${text}${table}\n\n\`\`\`yaml\n${yamlOf(written)}\n\`\`\`${result}`
}

function moduleSection([name, { text, functions, example }]: [string, ModuleDescription]): string {
  const { gives, ...written } = example
  const sections = Object.entries(functions).map(([one, { text: meaning, parameters }]) => {
    const rows = fieldRows(z.toJSONSchema(parameters, { unrepresentable: 'any', io: 'output' }))
    const table =
      rows.length === 0 ? '' : `\n\n| Parameter | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}`
    return `#### ${name}.${one}\n\n${meaning}${table}`
  })
  const shown = `\`\`\`yaml\n${yamlOf(written)}\n\`\`\`\n\nIt answers \`${JSON.stringify(gives)}\`.`
  return [`### The module ${name}`, text, shown, ...sections].join('\n\n')
}

function contextSection([name, { text, kept, names }]: [string, ContextDescription]): string {
  const rows = Object.entries(names)
    .filter(([, meaning]) => meaning !== '')
    .map(([key, meaning]) => `| ${name}.${key} | ${meaning} |`)
  const free = Object.entries(names)
    .filter(([, meaning]) => meaning === '')
    .map(([key]) => `\`${key}\``)
  const table = rows.length === 0 ? '' : `\n\n| Name | Value |\n|---|---|\n${rows.join('\n')}`
  const reserved = free.length === 0 ? '' : `\n\nReserved: ${free.join(', ')}.`
  return `### ${name}\n\n${text}${kept === undefined ? '' : ` Kept: ${lowerFirst(kept)}`}${table}${reserved}`
}

/** A declared function as it is sent, its code apart, line by line. */
function functionSection({
  text,
  declared: { name, language, code, ...rest },
  parameters,
  gives,
}: (typeof functionsDescription.examples)[number]): string {
  const fields = Object.entries(rest).map(([key, value]) => `${key}: ${flow(value)}`)
  const lines = code.split('\n').map((line) => `  ${line}`)
  const declared = [`name: ${name}`, `language: ${language}`, ...fields, 'code: |', ...lines].join('\n')
  return (
    `${text}\n\n\`\`\`yaml\n${declared}\n\`\`\`\n\nCalled with \`${JSON.stringify(parameters)}\` it answers ` +
    `\`${JSON.stringify(gives)}\`.`
  )
}

function expressionFunctionSection({ call, text, examples }: FunctionDescription): string {
  const lines = examples.map(([expression, result]) => `{% ${expression} %}  →  ${JSON.stringify(result)}`)
  return `### ${call}\n\n${text}\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\``
}

function fieldTable(schema: unknown): string {
  return ['| Field | Type | Meaning |', '|---|---|---|', ...fieldRows(schema)].join('\n')
}

/** Steps line by line, the rest as YAML takes it from JSON. */
function yamlOf({
  do: steps,
  output,
  ...rest
}: {
  do: readonly Readonly<Record<string, unknown>>[]
  output?: unknown
}): string {
  const before = Object.entries(rest).map(([key, value]) => `${key}: ${flow(value)}`)
  const lines = steps.flatMap((step) =>
    Object.entries(step).map(([key, value], index) => `  ${index === 0 ? '-' : ' '} ${key}: ${flow(value)}`),
  )
  return [...before, 'do:', ...lines, ...(output === undefined ? [] : [`output: ${flow(output)}`])].join('\n')
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([key, item]) => `${/^\w+$/.test(key) ? key : JSON.stringify(key)}: ${flow(item)}`,
  )
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
