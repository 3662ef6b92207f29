import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const dockerfile = new URL('../../deploy/images/Dockerfile', import.meta.url)
const gatewayFlags = new URL('../../deploy/images/flags/api-gateway', import.meta.url)

/** The variables a process gets in the image, so that what is measured is what operators run. */
function imageVariables(): Record<string, string> {
  const text = readFileSync(dockerfile, 'utf8')
  const names = ['NODE_OPTIONS', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_']
  const variables = names.map((name) => {
    const value = new RegExp(`\\b${name}=(\\S+)`).exec(text)?.[1]
    if (value === undefined) throw new Error(`deploy/images/Dockerfile does not set ${name}.`)
    return [name, value] as const
  })
  return Object.fromEntries(variables)
}

/** The gateway as the image runs it, for `startUnderTest`; its bundle is built anew. */
export function gatewayOfImage(): { main: string[]; env: Record<string, string> } {
  execFileSync(process.execPath, ['scripts/bundle.ts', 'api-gateway'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const flags = readFileSync(gatewayFlags, 'utf8').trim().split(' ')
  return { main: [...flags, 'dist/api-gateway/main.js'], env: imageVariables() }
}
