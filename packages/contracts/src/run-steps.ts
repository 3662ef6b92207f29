import { z } from 'zod'
import { FunctionLog } from './functions.ts'

/** How a run, or a step of one, failed. */
export const RunError = z.object({
  error: z.string().describe('Name of the failure.'),
  message: z.string(),
  details: z.unknown().optional(),
  automationSlug: z
    .string()
    .optional()
    .describe('The automation it happened in, which may be one that was called.'),
  instruction: z.string().optional().describe('The place in it, for example do[2].repeat.do[0].set.'),
  line: z
    .int()
    .optional()
    .describe('Where that stands in the text of the automation, if it was saved as YAML.'),
  column: z.int().optional(),
  remedy: z.string().optional().describe('What to do about it.'),
})

/** A variable that was changed. */
export const RunChange = z.object({
  context: z.string().describe('global, user, session, run …, or locals for variables of the automation.'),
  path: z.string(),
  before: z.unknown().optional().describe('Missing: there was nothing.'),
  after: z.unknown().optional().describe('Missing: there is nothing any more.'),
})

export type RunChange = z.infer<typeof RunChange>

/** One instruction that a run has come to. */
export const RunStep = z.object({
  path: z.string().describe('Where it stands in its automation, for example do[2].repeat.do[0].set.'),
  instruction: z.string().describe('The instruction, or the automation that is called.'),
  automationSlug: z.string(),
  number: z.int().nullable().describe('Of its effect, in the order in which they began; null: it has none.'),
  round: z.int().optional().describe('Of the repeat around it, from 0.'),
  branch: z.int().optional().describe('Of the `all` around it, from 0.'),
  status: z
    .enum(['done', 'failed', 'running', 'waiting'])
    .describe(
      'running, waiting: it had not ended yet, or what became of it is not known because the steps end there before ' +
        'the run did (`stoppedAt`).',
    ),
  startedAt: z.iso
    .datetime()
    .describe('When the last came in of what the run had heard from outside: exact to that.'),
  durationMs: z.number(),
  attempts: z
    .array(z.object({ at: z.iso.datetime(), durationMs: z.number(), outcome: z.string() }))
    .optional()
    .describe(
      'Of a fetch: `outcome` is the status, or the name of what went wrong. Of a function in code: done, or why not.',
    ),
  logs: z.array(FunctionLog).optional().describe('What a function in code has written.'),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  changed: z.array(RunChange).optional(),
  emitted: z.array(z.object({ id: z.uuid(), type: z.string() })).optional(),
  started: z.array(z.uuid()).optional().describe('Runs that it started and did not wait for.'),
  error: RunError.optional(),
  get steps() {
    return z.array(RunStep).optional()
  },
  more: z.int().optional().describe('Steps inside it that are left out here.'),
  morePath: z.string().optional().describe('What `path` takes to show these.'),
})
export type RunStep = z.infer<typeof RunStep>

/** Where the steps end before the run does. */
export const RunStop = z.object({
  reason: z
    .enum(['steps', 'size', 'time', 'running', 'notKept', 'changed'])
    .describe(
      'steps, size, time: that is as much as is shown at once; running: the run has come no further; notKept: what ' +
        'came in from outside then is not kept of runs that ended well (RUN_DETAILS), or not any more; changed: the ' +
        'automation of then is gone.',
    ),
  number: z.int().describe('Of the last effect before that.'),
})
export type RunStop = z.infer<typeof RunStop>

/** What the variables of a run held. */
export const RunState = z.object({
  number: z.int().describe('Of the last effect that had begun.'),
  path: z.string().nullable().describe('The step it stood at; null: it had ended.'),
  automationSlug: z.string().nullable(),
  locals: z.record(z.string(), z.unknown()).describe('Variables of the automation that step is in.'),
  contexts: z
    .record(z.string(), z.unknown())
    .describe('What it had looked at or changed of global, user, session and run.'),
  stoppedAt: RunStop.optional(),
})
export type RunState = z.infer<typeof RunState>
