/** Streams of events only: a name that could mean several indexes, or another one, never reaches the store. */
const STREAM = /^events-[a-z0-9][a-z0-9_-]{0,199}$/
const BACKING = /^\.ds-(.+?)-(?:\d{4}\.\d\d\.\d\d-)?(\d{6,})$/

/** The data stream of a stream; undefined for a name that no stream has. */
export const dataStreamOf = (prefix: string, stream: string): string | undefined =>
  STREAM.test(stream) ? `${prefix}${stream}` : undefined

export const allDataStreams = (prefix: string): string => `${prefix}events-*`

export const streamOf = (prefix: string, dataStream: string): string => dataStream.slice(prefix.length)

/** The data stream of a backing index and its place in the row of them; undefined for any other index. */
export function backingOf(index: string): { dataStream: string; generation: number } | undefined {
  const [, dataStream, generation] = BACKING.exec(index) ?? []
  return dataStream === undefined ? undefined : { dataStream, generation: Number(generation) }
}

export const backingsPattern = (dataStream: string): string => `.ds-${dataStream}-*`
