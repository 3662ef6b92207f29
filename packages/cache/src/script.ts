import { createHash } from 'node:crypto'

/** What a server does in one step, and the name it knows that by. */
export interface Script {
  readonly text: string
  readonly sha1: string
}

export const scriptOf = (text: string): Script => ({
  text,
  sha1: createHash('sha1').update(text).digest('hex'),
})
