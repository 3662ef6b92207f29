import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const dockerfile = new URL('../../deploy/images/Dockerfile', import.meta.url)
const flagsOfApps = new URL('../../deploy/images/flags/', import.meta.url)

/** The variables a process gets in the image, so that what is measured is what operators run. */
export function imageVariables(): Record<string, string> {
  const text = readFileSync(dockerfile, 'utf8')
  const names = ['NODE_OPTIONS', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_']
  const variables = names.map((name) => {
    const value = new RegExp(`\\b${name}=(\\S+)`).exec(text)?.[1]
    if (value === undefined) throw new Error(`deploy/images/Dockerfile does not set ${name}.`)
    return [name, value] as const
  })
  return Object.fromEntries(variables)
}

/** The flags of Node that an app has in the image. */
export function imageFlags(app: string): string[] {
  const file = new URL(app, flagsOfApps)
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : []
}

/** Bundles apps anew. */
export function bundleApps(...apps: string[]): void {
  execFileSync(process.execPath, ['scripts/bundle.ts', ...apps], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** The gateway as the image runs it, for `startUnderTest`; its bundle is built anew. */
export function gatewayOfImage(): { main: string[]; env: Record<string, string> } {
  bundleApps('api-gateway')
  return { main: [...imageFlags('api-gateway'), 'dist/api-gateway/main.js'], env: imageVariables() }
}
