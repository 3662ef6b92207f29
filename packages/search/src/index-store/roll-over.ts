import { type BackingIndex, backingIndexes } from './backing-indexes.ts'
import type { DataStreams } from './data-streams.ts'
import { checkWhatApplies } from './foreign-templates.ts'
import type { Installation } from './installation.ts'
import { ADMIN_MS, bodyOf, type IndexContext } from './store.ts'
import { allDataStreams, streamOf } from './stream-names.ts'
import { bigStreamTemplate } from './template.ts'

/**
 * Starts a new backing index for every stream whose largest primary shard reaches the size; a stream that got there
 * is big, so the new one has more primaries. Sizes are compared here: not every build knows the condition
 * `max_primary_shard_size`.
 */
export async function rollOver(
  context: IndexContext,
  { installation, dataStreams }: { installation: Installation; dataStreams: DataStreams },
  { maxPrimaryShardBytes, bigShards }: { maxPrimaryShardBytes: number; bigShards: number },
): Promise<string[]> {
  const { prefix } = context.template
  const newest = new Map<string, BackingIndex>()
  for (const backing of await backingIndexes(context, allDataStreams(prefix)))
    newest.set(backing.dataStream, backing)
  const rolled: string[] = []
  for (const { dataStream, primaryBytes } of newest.values()) {
    if (primaryBytes < maxPrimaryShardBytes) continue
    // Also tells which policy rolls over, where another process installed it.
    await installation.ready()
    await rollOverOne(context, dataStream, bigShards)
    await dataStreams.renew(dataStream)
    rolled.push(streamOf(prefix, dataStream))
  }
  return rolled
}

async function rollOverOne(context: IndexContext, dataStream: string, shards: number): Promise<void> {
  const { store, template, log } = context
  bodyOf(
    await store({
      method: 'PUT',
      path: `/_index_template/${dataStream}`,
      body: bigStreamTemplate({ ...template, shards }, dataStream),
      timeoutMs: ADMIN_MS,
    }),
  )
  // A store simulates no name that is there already.
  await checkWhatApplies(context, `${dataStream}-template-check`)
  bodyOf(await store({ method: 'POST', path: `/${dataStream}/_rollover`, timeoutMs: ADMIN_MS }))
  log.info(`The stream ${dataStream} of the search store was rolled over.`)
}
