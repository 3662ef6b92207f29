import { type Database, sql } from '@platform/database'

/**
 * Events of some 400 bytes in 20 workspaces. Written by the server itself, so that the writer takes no time of those
 * who are measured; in transactions as large as batches of 50.
 */
export async function write(database: Database, count: number): Promise<void> {
  for (let from = 0; from < count; from += 10_000)
    await database.many(
      sql`
        insert into outbox.events (id, workspace_id, type, record)
        select made.id, 'workspace' || n % 20, 'bench.event', json_build_object(
          'id', made.id, 'type', 'bench.event',
          'source', json_build_object('workspaceId', 'workspace' || n % 20, 'userId', 'ada', 'ip', 'private',
            'correlationId', made.id, 'serviceTopic', 'topic:runtime:emit',
            'host', json_build_object('service', 'events')),
          'payload', json_build_object('n', n, 'text', repeat('x', 60)),
          'createdAt', '2026-01-01T00:00:00.000Z', 'size', 120)
        from generate_series(1, ${Math.min(10_000, count - from)}::int) n
        cross join lateral (select overlay(overlay(gen_random_uuid()::text
          placing substr(lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0'), 1, 8) from 1 for 8)
          placing substr(lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0'), 9, 4) || '-7'
            from 10 for 6)::uuid as id
          where n > 0) made`,
      { timeoutMs: 20_000 },
    )
}
