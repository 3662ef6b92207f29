import type { Database } from '@platform/database'
import { openPostgresSearch } from './postgres.ts'
import type { Search } from './search.ts'

export interface OpenSearchOptions {
  /** Holds the documents where the URL is `postgres:`. */
  database: Database
}

/** Opens the search store a URL names: `postgres:` keeps the documents beside everything else. */
export async function openSearch(url: string, { database }: OpenSearchOptions): Promise<Search> {
  const scheme = url.slice(0, url.indexOf(':'))
  if (scheme === 'postgres' || scheme === 'postgresql') return await openPostgresSearch(database)
  throw new Error(`The search URL must begin with postgres:, not "${scheme}:".`)
}
