export type { Database } from '@platform/database'
