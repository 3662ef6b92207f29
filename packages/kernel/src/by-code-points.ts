/** The order of texts in all stores: by code points, as bytes of UTF-8 and as PostgreSQL's collation "C" have it. */
export const byCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
