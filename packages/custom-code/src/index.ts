/**
 * Functions of authors, run in processes that may die: `openCustomCode`. The settings come from the environment by
 * `customCodeVariables` and `customCodeSettings`.
 */
export type {
  CodeProblem,
  CustomCode,
  FunctionAnswer,
  FunctionCall,
  FunctionCode,
  FunctionLanguage,
  FunctionLog,
  FunctionLogLevel,
  GuardedFetch,
  GuardedRequest,
} from './custom-code.ts'
export { type CustomCodeSettings, customCodeSettings, customCodeVariables } from './custom-code-env.ts'
export {
  FunctionFailure,
  type FunctionFailureDetails,
  type FunctionFailureReason,
} from './function-failure.ts'
export { openCustomCode } from './open-custom-code.ts'
