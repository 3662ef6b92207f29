import { ReadinessReport } from '@platform/contracts'
import { call, refusal } from '../platform/call.ts'
import { findPlatform } from '../platform/find-platform.ts'
import { paintOf, type Terminal } from '../terminal.ts'
import { readinessLines } from './readiness-lines.ts'

/** `ops readiness`: what is ready and what is not. Answers the exit code: 0 when everything is ready. */
export async function showReadiness(
  terminal: Terminal,
  options: { json?: boolean; services?: string },
): Promise<number> {
  const query = options.services === undefined ? '' : `?services=${encodeURIComponent(options.services)}`

  const { status, body } = await call(findPlatform(terminal.env), 'GET', `/v2/readiness${query}`)
  const { data: report } = ReadinessReport.safeParse(body)
  if (report === undefined) throw refusal(status, body)

  const lines =
    options.json === true ? [JSON.stringify(report, null, 2)] : readinessLines(report, paintOf(terminal))
  terminal.print(lines.join('\n'))
  return report.status === 'ready' ? 0 : 1
}
