/** Numbers of the wire that are fixed; configurable ones are in each service's config.ts. */
export const limits = {
  bodyBytes: 1_000_000,
  eventPageDefault: 50,
  pageDefault: 20,
  pageMax: 100,
  /** Documents from the newest that pages reach; further on there are cursors. */
  searchDepth: 10_000,
  eventsPerCall: 500,
  jsonDepth: 64,
  jsonKeys: 10_000,
  /** Characters of the pattern of a URL trigger. */
  endpointLength: 500,
} as const
