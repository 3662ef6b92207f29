/** What a caller may choose about the server. */
export interface ServerChoices {
  port: number
  fsync: boolean
  maxConnections: number
}

/**
 * A small server: the whole platform with it stays below 400 MB. Given as arguments, so that no file has to be
 * edited.
 */
export function serverSettings({ port, fsync, maxConnections }: ServerChoices): string[] {
  const durability = fsync ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: maxConnections,
    shared_buffers: '96MB',
    work_mem: '4MB',
    maintenance_work_mem: '32MB',
    temp_buffers: '1MB',
    huge_pages: 'off',
    jit: 'off',
    io_method: 'sync',
    max_worker_processes: 2,
    max_parallel_workers: 0,
    max_parallel_workers_per_gather: 0,
    autovacuum_max_workers: 2,
    wal_level: 'minimal',
    max_wal_senders: 0,
    min_wal_size: '64MB',
    max_wal_size: '512MB',
    checkpoint_completion_target: 0.9,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    log_min_messages: 'warning',
    // Statements and details hold the data of users, which has no place in a log.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...durability,
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
