export {
  checkExpression,
  checkTemplate,
  type SyntaxProblem,
  type SyntaxProblemType,
} from './checks/check-syntax.ts'
export {
  countUnclosed,
  listFunctionCalls,
  listTemplateTokens,
  type TemplateToken,
} from './checks/inspect-template.ts'
export { type ComputedVariable, computedInExpression, computedInTemplate } from './checks/list-computed.ts'
export {
  type NamedPath,
  type NamedVariable,
  namesOfPath,
  readsOfExpression,
  readsOfTemplate,
} from './checks/list-reads.ts'
export { type CompiledExpression, compileExpression, evaluate } from './evaluation/compiled.ts'
export { ExpressionError, type ExpressionErrorName } from './expression-error.ts'
export { matchesFilter, singleConditions, valuesAt } from './filters/match-filter.ts'
export { type FunctionDescription, functionDescriptions } from './functions/descriptions.ts'
export { type FunctionName, functionNames } from './functions/names.ts'
export { defaultLimits, type Limits, type Options } from './options.ts'
export { findMatches, replaceMatches, type WrittenPattern } from './patterns.ts'
export type { Meter, Scope, VariableSource } from './scope.ts'
export { type CompiledPath, compilePath, type ResolvedPath } from './templates/compile-path.ts'
export { type CompiledTemplate, compileTemplate, interpolate } from './templates/compile-template.ts'
export { readJson } from './values/json-text.ts'
export { readProperty } from './values/properties.ts'
