import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs that measure or are measured against, and the Debian packages they are in. */
const packages = { wrk: 'wrk', h2load: 'nghttp2-client', haproxy: 'haproxy' } as const

export type Tool = keyof typeof packages

/** What a normal user's PATH may leave out. */
const MORE_FOLDERS = ['/usr/local/sbin', '/usr/sbin']

/** Throws a sentence that tells how to install those that are missing. */
export function requireTools(tools: readonly Tool[]): void {
  const missing = tools.filter((tool) => pathOf(tool) === undefined)
  if (missing.length === 0) return
  const wanted = missing.map((tool) => packages[tool]).join(' ')
  throw new Error(
    `These benches need ${missing.join(' and ')}: install what is missing, for example with apt-get install ${wanted}.`,
  )
}

/** The path of its program. Throws a sentence where it is missing. */
export function executable(tool: Tool): string {
  requireTools([tool])
  return pathOf(tool) ?? tool
}

function pathOf(tool: Tool): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...MORE_FOLDERS]
  return folders.map((folder) => join(folder, tool)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
