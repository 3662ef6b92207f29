import type { Log } from '@platform/search'

/** What live readers need of the log. */
export type LiveLog = Pick<Log, 'readAfter' | 'placeOf' | 'lastSequence' | 'endOf' | 'sequencesOf' | 'listen'>
