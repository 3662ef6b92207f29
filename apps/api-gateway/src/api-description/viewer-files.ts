import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** Beside the running file, where a build puts them; else in the package they come from. */
export async function readViewerFile(name: string): Promise<Buffer> {
  const beside = new URL(`swagger-ui/${name}`, import.meta.url)
  try {
    return await readFile(beside)
  } catch {
    return readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`))
  }
}
