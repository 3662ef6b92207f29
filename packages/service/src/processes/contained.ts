import { BEAT_MS, BlackBox } from './black-box.ts'

/** Says to a process that it was started by another one, and as what. */
export const CONTAINED_AS = 'PLATFORM_CONTAINED_AS'
/** What the processes of its kind have to know from the beginning, as JSON. */
export const CONTAINED_NEWS = 'PLATFORM_CONTAINED_NEWS'
/** Where the file descriptors of `fork` end: standard input, output, errors, and the channel. */
const BLACK_BOX = 4

/** Sent to a process that is to stop; a signal of the terminal may have reached it before. */
export const STOP_WORKER = 'stop'

/** A message of a process to the one that started it. */
export type FromContained = { contained: 'ready' } | { contained: 'suspects' }

/** A message to a process of the one that started it. */
export type ToContained = { contained: 'death'; death: Death } | { contained: 'news'; news: unknown }

/** How a process ended that nobody had asked to. */
export interface Death {
  /**
   * Silent: it did not come back from its work. Killed: by somebody else. Ended: by its own fault, or by the kernel for
   * memory.
   */
  readonly cause: 'silent' | 'killed' | 'ended'
  /** As part of a sentence: what was seen. */
  readonly seen: string
  /** What it was known by to others; empty when it did not come so far. */
  readonly name: string
  /** What it was doing, in its own words; empty where it did not say. */
  readonly marker: string
  /** What it was started as. */
  readonly role: string
}

/** What a process of several is started as, and what it says and hears; it is the same as long as the process lives. */
export interface Contained {
  readonly role: string
  readonly box: BlackBox
  readonly news: unknown
  /** It serves. From then on its silence counts. */
  ready(): void
  /** Everything is closed: nothing is to be heard any more. */
  leave(): void
  /** There is something to be done by a process of its own. */
  foundSuspects(): void
  onDeath(heard: (death: Death) => void): void
  onNews(heard: (news: unknown) => void): void
}

let known: Contained | undefined

/** Undefined in a process that was not started by another one of ours. */
export function contained(): Contained | undefined {
  // biome-ignore lint/style/noProcessEnv: what it was started as, which no service is configured with.
  const role = process.env[CONTAINED_AS]
  if (role === undefined || process.send === undefined) return undefined
  known ??= openContained(role)
  return known
}

function openContained(role: string): Contained {
  const box = new BlackBox(BLACK_BOX)
  const tell = (message: FromContained) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
  }
  const hear = (listen: (message: ToContained) => void) => process.on('message', listen)
  // Nobody is left to answer to: what is under way belongs to whoever comes next. `exit` would wait for threads: two
  // processes were found doing so long after their parent's end.
  const onOrphaned = () => process.kill(process.pid, 'SIGKILL')
  process.once('disconnect', onOrphaned)
  return {
    role,
    box,
    // biome-ignore lint/style/noProcessEnv: as above.
    news: JSON.parse(process.env[CONTAINED_NEWS] ?? 'null'),
    ready() {
      box.beat()
      setInterval(() => box.beat(), BEAT_MS).unref()
      tell({ contained: 'ready' })
    },
    leave() {
      process.off('disconnect', onOrphaned)
      if (process.connected) process.disconnect()
    },
    foundSuspects: () => tell({ contained: 'suspects' }),
    onDeath: (heard) => hear((message) => message.contained === 'death' && heard(message.death)),
    onNews: (heard) => hear((message) => message.contained === 'news' && heard(message.news)),
  }
}
