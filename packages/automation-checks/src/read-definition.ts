import { AutomationInput } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import {
  type InstructionPlaces,
  instructionPlaces,
  readJsonText,
  readYamlText,
  type SourceText,
  UnreadableText,
} from '@platform/source-texts'
import { type AutomationLimits, requireWithinLimits, SCHEDULE_INTERVAL_SECONDS } from './automation-limits.ts'
import { checkDefinition, invalidAutomation } from './check-definition.ts'

/** An automation as it was written. */
export interface DefinitionText {
  readonly text: string
  readonly mediaType: 'json' | 'yaml'
}

/** The YAML an automation was written as. */
export interface AutomationSource {
  readonly text: string
  readonly places: InstructionPlaces
}

/** What the platform adds to a definition; sent back with it, it is left aside. */
const readOnly = ['createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'checksum', 'warnings', 'events', 'id']

/**
 * An automation (or with `whole` false a part of one) from its text, and the text itself where it is YAML. Throws
 * InvalidAutomation naming every problem with line, column, path and a sentence.
 */
export function readDefinition(
  { text, mediaType }: DefinitionText,
  whole: boolean,
  limits?: AutomationLimits,
): { input: AutomationInput; source: AutomationSource | undefined } {
  const source = readText(text, mediaType)
  const value = withoutReadOnly(source.value)
  // Before anything is looked at more closely, which takes the longer the larger it is.
  if (limits !== undefined) requireWithinLimits(value, limits)
  const leastSeconds = limits?.scheduleIntervalSeconds ?? SCHEDULE_INTERVAL_SECONDS
  const problems = checkDefinition(source, value, { isWhole: whole, leastSeconds })
  if (problems.length > 0) throw invalidAutomation(problems)
  const input = value as AutomationInput
  // PostgreSQL keeps no NUL in a text.
  if (mediaType !== 'yaml' || text.includes('\0')) return { input, source: undefined }
  return { input, source: { text, places: instructionPlaces(input, source.placeOf) } }
}

function readText(text: string, mediaType: DefinitionText['mediaType']): SourceText {
  try {
    return mediaType === 'json' ? readJsonText(text) : readYamlText(text)
  } catch (error) {
    if (error instanceof UnreadableText) throw invalidAutomation(error.details.slice(0, 50))
    throw error
  }
}

/** Fields whose emptiness is kept as it was written. */
const keptEmpty = ['arguments', 'when', 'description', 'labels', 'authorizations', 'output', 'retry']
const droppedEmpty = Object.keys(AutomationInput.shape).filter((name) => !keptEmpty.includes(name))

/** Leaves aside what the platform adds, and the empty fields (`do:`, `slug:`) of a form that was not filled in. */
function withoutReadOnly(value: unknown): unknown {
  if (!isRecord(value)) return value
  const given = Object.entries(value).filter(
    ([key, item]) => !readOnly.includes(key) && !(item === null && droppedEmpty.includes(key)),
  )
  return Object.fromEntries(given.map(([key, item]) => [key, key === 'when' ? withoutEmpty(item) : item]))
}

const withoutEmpty = (value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null)) : value
