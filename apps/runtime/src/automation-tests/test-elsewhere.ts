import type { CallElsewhere, CalledElsewhere, Elsewhere } from '../automations/model.ts'
import type { AnswersByName, FailTest } from './stub-answers.ts'

interface Parts {
  readonly fail: FailTest
  /** Is told of each call. */
  readonly calls: (name: string, payload: Readonly<Record<string, unknown>>) => void
}

/** Automations of other workspaces in a test: there are those that it has answers of, and nothing of them is run. */
export const testElsewhere = (answers: AnswersByName, { fail, calls }: Parts): Elsewhere => ({
  async find(call): Promise<CalledElsewhere> {
    const name = nameOf(call)
    if (answers.has(name))
      return { workspaceId: call.workspace, automationSlug: call.automationSlug, priority: 0 }
    return fail(
      `The test has no answer for the automation "${call.automationSlug}" of the workspace "${call.workspace}": ` +
        `add it to \`automations\` as "${name}".`,
    )
  },

  begin(call, { workspaceId, automationSlug, priority }, id) {
    calls(nameOf(call), call.payload)
    const { automationSlug: value, runId, correlationId, subject, depth } = call.caller
    const trigger = { type: 'automation', value, id: runId } as const
    const input = { payload: call.payload, caller: subject, depth }
    return { run: { id, workspaceId, automationSlug, trigger, correlationId, priority, input }, events: [] }
  },

  async call(call) {
    calls(nameOf(call), call.payload)
    return answers.next(nameOf(call))
  },
})

/** As the step names both. */
const nameOf = ({ workspace, automationSlug }: CallElsewhere): string => `${workspace}/${automationSlug}`
