import { type RouteResponse, respond } from '@platform/http'
import { type AutomationRecord, automationEtag, presentAutomation } from './automation.ts'
import type { Warning } from './warning.ts'

/** The answer of a save: the automation, its state as ETag, and its warnings where there are any. */
export const answerSaved = (record: AutomationRecord, warnings: Warning[]): RouteResponse =>
  respond(
    { ...presentAutomation(record), ...(warnings.length === 0 ? {} : { warnings }) },
    { headers: { etag: automationEtag(record) } },
  )
