import type { EventRecord } from '@platform/contracts'
import { findPlatform } from '../platform/find-platform.ts'
import { type Paint, paintOf, plain, shownTime, type Terminal } from '../terminal.ts'
import { followStream } from './follow-stream.ts'

export interface TailOptions {
  types?: string
  json?: boolean
}

/** Characters of a payload on one line. */
const PAYLOAD_MAX = 200
const alarming = /(^error$|\.failed$|\.deleted$)/

/** `ops events tail`: the events of a workspace as they happen, until somebody ends it. */
export async function tailWorkspace(
  terminal: Terminal,
  workspaceId: string,
  { types, json }: TailOptions,
): Promise<number> {
  const paint = paintOf(terminal)
  const platform = findPlatform(terminal.env)
  const follower = {
    heard: (record: EventRecord) =>
      terminal.print(json === true ? JSON.stringify(record) : lineOf(record, paint)),
    waits: () => terminal.complain(paint('grey', 'The platform is away: waiting for it.')),
    returned: () => terminal.complain(paint('grey', 'The platform is back: going on behind the last event.')),
  }
  const signal = terminal.interrupted ?? new AbortController().signal
  await followStream(platform, { workspaceId, types }, follower, signal)
  return 0
}

function lineOf({ type, createdAt, payload, source }: EventRecord, paint: Paint): string {
  const text = plain(JSON.stringify(payload) ?? '')
  const shown = text.length > PAYLOAD_MAX ? `${text.slice(0, PAYLOAD_MAX)}…` : text
  const who = source.userId ?? source.automationSlug ?? source.host?.service ?? '-'
  const colour = alarming.test(type) ? 'red' : 'green'
  return [
    paint('grey', shownTime(createdAt)),
    paint(colour, plain(type)),
    paint('yellow', plain(who)),
    shown,
  ].join('  ')
}
