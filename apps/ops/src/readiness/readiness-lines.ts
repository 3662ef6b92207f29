import type { ModuleError, ReadinessReport, ReadyModule, ServiceEntry } from '@platform/contracts'
import { columns, type Paint, plain } from '../terminal.ts'

interface Line {
  cells: string[]
  isReady: boolean
  isService: boolean
}

/** The report as a table: a line for each service, and below it one for each of its modules. */
export function readinessLines(report: ReadinessReport, paint: Paint): string[] {
  const lines = Object.entries(report.services).flatMap(([name, entry]) => linesOf(name, entry))
  const texts = columns(lines.map(({ cells }) => cells))
  const failing = lines.filter(({ isReady, isService }) => !isReady && !isService).length
  const verdict =
    report.status === 'ready'
      ? paint('green', 'The platform is ready.')
      : paint(
          'red',
          `The platform is not ready: ${failing} ${failing === 1 ? 'module fails' : 'modules fail'}.`,
        )
  return [...texts.map((text, at) => painted(text, lines[at], paint)), '', verdict]
}

/** A service tells its modules itself, the gateway in its own entry; a service that can't be reached has errors only. */
function linesOf(name: string, entry: ServiceEntry): Line[] {
  // The errors of a service's own report stand in its entry again.
  const { modulesReady: ready = [], errors = [] } = entry.response ?? entry
  const isReady = entry.status === 'ready'
  return [
    { cells: [mark(isReady), plain(name), '', plain(entry.url ?? '')], isReady, isService: true },
    ...ready.map((module) => moduleLine(module)),
    ...errors.map((module) => moduleLine(module)),
  ]
}

function moduleLine(module: ReadyModule | ModuleError): Line {
  const isReady = !('error' in module)
  const why = 'error' in module ? plain(`${module.error}: ${module.message}`) : ''
  return {
    cells: [mark(isReady), `  ${plain(module.module)}`, plain(module.driver), why],
    isReady,
    isService: false,
  }
}

const mark = (isReady: boolean): string => (isReady ? 'ready' : 'ERROR')

/** Colours come last: they have no width. */
function painted(text: string, line: Line | undefined, paint: Paint): string {
  const state = mark(line?.isReady === true)
  const rest = text.slice(state.length)
  return (
    paint(line?.isReady === true ? 'green' : 'red', state) +
    (line?.isService === true ? paint('bold', rest) : rest)
  )
}
