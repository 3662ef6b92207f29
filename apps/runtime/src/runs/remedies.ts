/** What to do about a run that failed, by the name of the failure. */
const remedies: Readonly<Record<string, string>> = {
  InvalidArgumentsError: 'Compare what the automation was given with its `arguments`.',
  InvalidInstructionError:
    'Correct the instruction at this place; saving the automation names what is wrong with it.',
  InvalidExpressionSyntax:
    'Correct the expression at this place; a test run shows at once whether it is right.',
  InvalidVariableNameError: 'Give the variable at this place a name that may be written.',
  InvalidEventError: 'Correct the type or the payload of the event that is emitted at this place.',
  EventTooLarge: 'Emit less at this place: an id that others can read by, or several events.',
  PayloadTooLarge: 'Keep or answer less at this place.',
  TooManyCallError: 'Look for automations that call or trigger one another without an end.',
  WorkflowTimeoutError: 'Split the work: emit an event for each part, so that each part is a run of its own.',
  ForbiddenError: 'Look for whom the run acts, and what they may do.',
  SuspendedWorkspaceError: 'An operator has to lift the suspension of the workspace; then let it run again.',
  ObjectNotFoundError: 'Look for what this place names: it is missing, disabled, or has another name.',
  TooManyRequests: 'Let the automation do this less often, or ask an operator for a higher limit.',
  ServiceUnavailable: 'A store was away: let it run again.',
  InternalError: 'Look for the correlation id in the log of the runtime, then let it run again.',
  TooManyAttempts:
    'Each process that worked on it ended: look for a step that takes very much memory or time, then let it run again.',
}

/** A sentence for whoever looks at the run; undefined where the message says all there is to say. */
export const remedyOf = (failure: string): string | undefined =>
  Object.hasOwn(remedies, failure) ? remedies[failure] : undefined
