import { pino } from 'pino'
import type { LineStream, Logger } from './logger.ts'

/**
 * What is logged of an answered request; nothing in it comes from a client unchecked, so nothing needs escaping or
 * redacting.
 */
export interface RequestLine {
  /** A token of HTTP. */
  method: string
  /** The pattern of the route, never the path. */
  route: string
  status: number
  ms: number
  /** Bytes that were sent, headers and body. */
  bytes: number
  /** Characters of [A-Za-z0-9._-]. */
  correlationId: string
  /** 32 hexadecimal characters; undefined where the request belongs to no trace. */
  traceId: string | undefined
  /** The kind of caller. */
  principal: string
  /** Version of the API that answered; empty where paths have none. */
  apiVersion: string
  /** Origin of the instance that answered, when the request was forwarded. */
  upstream: string | undefined
}

/** Lines wait this long for others, in milliseconds: a write for each costs more than everything else about it. */
const GATHER_MS = 100

/**
 * A writer for the one line of each answered request: the JSON the logger would write, at a fraction of its cost, in
 * batches; what waits at the end of the process is written then. Undefined when the logger's level leaves such lines
 * out.
 */
export function requestLines(
  log: Logger,
  level: 'info' | 'debug' = 'info',
): ((line: RequestLine) => void) | undefined {
  if (!log.isLevelEnabled(level)) return undefined
  const { [pino.symbols.streamSym]: stream, [pino.symbols.chindingsSym]: bindings } = log as unknown as {
    [pino.symbols.streamSym]: LineStream
    [pino.symbols.chindingsSym]: string
  }
  const add = gathered((text) => stream.writeSafe(text), stream.batchCharacters)
  const isoTime = timeTeller()
  return ({ method, route, status, ms, bytes, correlationId, traceId, principal, apiVersion, upstream }) => {
    const trace = traceId === undefined ? '' : `,"traceId":"${traceId}"`
    const version = apiVersion === '' ? '' : `,"apiVersion":"${apiVersion}"`
    const target = upstream === undefined ? '' : `,"upstream":"${upstream}"`
    add(
      `{"level":"${level}","time":"${isoTime()}"${bindings},"method":"${method}","route":"${route}",` +
        `"status":${status},"ms":${ms},"bytes":${bytes},"correlationId":"${correlationId}"${trace},` +
        `"principal":"${principal}"${version}${target},"msg":"request answered"}\n`,
    )
  }
}

/** Lines together in one write of at most `max` characters. */
function gathered(write: (text: string) => void, max: number): (line: string) => void {
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    process.removeListener('exit', flush)
    if (waiting !== '') write(waiting)
    waiting = ''
  }
  return (line) => {
    if (waiting.length + line.length > max) flush()
    if (timer === undefined) {
      timer = setTimeout(flush, GATHER_MS)
      // Before the destination closes, which listens for the end of the process too.
      process.prependListener('exit', flush)
    }
    waiting += line
  }
}

/** The time as text, made once a millisecond. */
function timeTeller(): () => string {
  let lastMs = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== lastMs) {
      lastMs = now
      text = new Date(now).toISOString()
    }
    return text
  }
}
