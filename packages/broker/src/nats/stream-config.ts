import {
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from 'nats'

const HOUR_MS = 3_600_000

/** The server's error code where a stream can't be changed to what it should be. */
const UNCHANGEABLE = 10_052

/** Says whose events a stream holds; a server keeps the text and gives it no meaning. */
const OWNER = 'Events of the platform with the database '

/** The id of the database in the description of a stream; undefined where an older version has made it. */
export const installationIn = (description = ''): string | undefined =>
  description.startsWith(OWNER) ? description.slice(OWNER.length) : undefined

/** What a stream of events must be; the rest (replicas, placement, its size) is for the operators of the server. */
export const streamConfig = (name: string, subjects: string, installation?: string) => ({
  name,
  ...(installation === undefined ? {} : { description: `${OWNER}${installation}` }),
  subjects: [`${subjects}.>`],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  // A full stream refuses what is new, which waits in the outbox; what a group has yet to handle is never pushed out.
  discard: DiscardPolicy.New,
  max_age: nanos(72 * HOUR_MS),
  max_msgs: -1,
  max_msgs_per_subject: -1,
  max_msg_size: -1,
  no_ack: false,
  duplicate_window: nanos(120_000),
})

/**
 * Puts right what another version made or what was changed by hand. Where a server can't change a stream, the stream
 * is made anew: the log is the truth, and the relay writes it again.
 */
export async function repairStream(
  manager: JetStreamManager,
  info: StreamInfo,
  wanted: ReturnType<typeof streamConfig>,
): Promise<StreamInfo> {
  if (isKept(info.config, wanted)) return info
  try {
    return await manager.streams.update(wanted.name, wanted)
  } catch (error) {
    if (!(error instanceof NatsError && error.api_error?.err_code === UNCHANGEABLE)) throw error
    return await remakeStream(manager, info.config, wanted)
  }
}

/** Makes a stream anew, empty; what the operators of the server decide stays as it was. */
export async function remakeStream(
  manager: JetStreamManager,
  { num_replicas, placement, max_bytes }: StreamConfig,
  wanted: ReturnType<typeof streamConfig>,
): Promise<StreamInfo> {
  await manager.streams.delete(wanted.name)
  return await manager.streams.add({
    ...wanted,
    num_replicas,
    max_bytes,
    ...(placement === undefined ? {} : { placement }),
  })
}

/** Servers leave out what is unset. */
const isKept = (config: StreamConfig, wanted: ReturnType<typeof streamConfig>): boolean =>
  Object.entries(wanted).every(([field, value]) => {
    const present = field in config ? config[field as keyof StreamConfig] : undefined
    if (present === undefined) return value === -1 || value === false
    return String(present) === String(value)
  })
