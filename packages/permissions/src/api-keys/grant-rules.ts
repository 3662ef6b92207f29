import { type ApiKeyRule, type ApiKeyRuleInput, rightActions, rightSubjects } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { allows, type Rule } from '../ability.ts'
import type { Action, Subject } from '../permissions.ts'
import { conditionsIn, resourceIn } from '../scope.ts'

const knownActions = new Set<string>(rightActions)
const knownSubjects = new Set<string>(rightSubjects)

/**
 * The rules a key gets for what was asked: every action in a list, every rule tied to the workspace by a condition
 * made here. Nothing else of an input is read. Throws InvalidSecurity
 * (400) for a subject that can't be tied to a workspace or an unknown action, ForbiddenError (403) for a right
 * that `creatorRules` don't hold.
 */
export function grantRules(
  inputs: readonly ApiKeyRuleInput[],
  workspaceId: string,
  creatorRules: readonly Rule[],
): ApiKeyRule[] {
  const asked = inputs.map(checked)
  for (const { action, subject } of asked)
    for (const one of action) requireHeld(one, subject, workspaceId, creatorRules)
  return asked.flatMap(({ action, subject }) => tied(action, subject, workspaceId))
}

function checked({ action, subject }: ApiKeyRuleInput): { action: Action[]; subject: Subject } {
  if (!knownSubjects.has(subject)) throw forbidden('subjectType', subject)
  const list = [...new Set(Array.isArray(action) ? action : [action])]
  for (const one of list) if (!knownActions.has(one)) throw forbidden('actionType', one)
  return { action: list as Action[], subject: subject as Subject }
}

/**
 * Emitting has a condition of its own, so it stands in a rule of its own where it is asked for beside something else.
 */
function tied(action: Action[], subject: Subject, workspaceId: string): ApiKeyRule[] {
  const rule = (list: Action[], isCreation: boolean): ApiKeyRule[] =>
    list.length === 0
      ? []
      : [{ action: list, subject, conditions: { ...conditionsIn(workspaceId, subject, isCreation) } }]
  if (subject !== 'events') return rule(action, false)
  const creation = action.filter((one) => one === 'create')
  return [
    ...rule(creation, true),
    ...rule(
      action.filter((one) => one !== 'create'),
      false,
    ),
  ]
}

function requireHeld(
  action: Action,
  subject: Subject,
  workspaceId: string,
  creatorRules: readonly Rule[],
): void {
  if (allows(creatorRules, action, subject, resourceIn(workspaceId, subject))) return
  throw new Failure(
    'ForbiddenError',
    `You can't give a key the right to ${action} ${subject}, because you don't have it yourself.`,
    { details: { action, subject } },
  )
}

const words = { actionType: rightActions, subjectType: rightSubjects }

const forbidden = (kind: keyof typeof words, word: string) =>
  new Failure(
    'InvalidSecurity',
    `Forbidden ${kind} '${word}' found in security rules: use one of ${words[kind].join(', ')}.`,
    { details: { [kind]: word, known: words[kind] } },
  )
