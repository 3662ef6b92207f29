import { afterAll } from 'vitest'
import { dropLeftDatabases } from './postgres-server.ts'

// Run anew for each file, also where files share a process and what it has imported. The hooks of the file itself come
// later, and are run earlier.
afterAll(dropLeftDatabases, 60_000)
