import {
  type ModuleError,
  type ModuleWarning,
  ReadinessReport,
  type ReadyModule,
  type ServiceEntry,
} from '@platform/contracts'
import { call, refusal } from '../platform/call.ts'
import { findPlatform } from '../platform/find-platform.ts'
import { columns, type Paint, paintOf, plain, type Terminal } from '../terminal.ts'

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

type State = 'ready' | 'WARN ' | 'ERROR'

const colours = { ready: 'green', 'WARN ': 'yellow', ERROR: 'red' } as const

interface Line {
  cells: string[]
  state: State
  isService: boolean
}

/** The report as a table: a line for each service, and below it one for each of its modules. */
function readinessLines(report: ReadinessReport, paint: Paint): string[] {
  const lines = Object.entries(report.services).flatMap(([name, entry]) => linesOf(name, entry))
  const texts = columns(lines.map(({ cells }) => cells))
  const failing = lines.filter(({ state, isService }) => state === 'ERROR' && !isService).length
  const verdict =
    report.status === 'ready'
      ? paint('green', 'The platform is ready.')
      : paint(
          'red',
          `The platform is not ready: ${failing} ${failing === 1 ? 'module fails' : 'modules fail'}.`,
        )
  return [...texts.map((text, at) => painted(text, lines[at], paint)), '', verdict]
}

/**
 * A service tells its modules itself, the gateway in its own entry; a service that can't be reached has errors only.
 */
function linesOf(name: string, entry: ServiceEntry): Line[] {
  // The errors of a service's own report stand in its entry again.
  const { modulesReady: ready = [], errors = [], warnings = [] } = entry.response ?? entry
  const state = entry.status === 'ready' ? 'ready' : 'ERROR'
  return [
    { cells: [state, plain(name), '', plain(entry.url ?? '')], state, isService: true },
    ...ready.map((module) => moduleLine(module, 'ready')),
    ...warnings.map((module) => moduleLine(module, 'WARN ')),
    ...errors.map((module) => moduleLine(module, 'ERROR')),
  ]
}

function moduleLine(module: ReadyModule | ModuleWarning | ModuleError, state: State): Line {
  const message = 'message' in module ? module.message : ''
  const why = 'error' in module ? plain(`${module.error}: ${message}`) : plain(message)
  return {
    cells: [state, `  ${plain(module.module)}`, plain(module.driver), why],
    state,
    isService: false,
  }
}

/** Colours come last: they have no width. */
function painted(text: string, line: Line | undefined, paint: Paint): string {
  const state = line?.state ?? 'ERROR'
  const rest = text.slice(state.length)
  return paint(colours[state], state) + (line?.isService === true ? paint('bold', rest) : rest)
}
