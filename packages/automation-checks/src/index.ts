export {
  type AutomationLimits,
  automationLimits,
  automationLimitVariables,
  requireWithinLimits,
} from './automation-limits.ts'
export { checkParameterSchemas } from './check-argument-schemas.ts'
export { checkSchemaGrowth } from './check-schema-growth.ts'
export { hintForField, hintForStep } from './foreign-words.ts'
export { type AutomationSource, readDefinition } from './read-definition.ts'
export { usesOfReferences } from './uses-of-secrets.ts'
