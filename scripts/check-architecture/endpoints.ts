import * as contracts from '@platform/contracts'

interface Source {
  file: string
  text: string
}

const kebab = (id: string) => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Every endpoint of the contracts has an operation file named as its id and a test beside it. */
export async function endpointsWithoutProof(sources: readonly Source[]): Promise<string[]> {
  const files = sources.map(({ file }) => file)
  const endpoints = Object.values(contracts).filter(
    (value): value is contracts.Endpoint =>
      typeof value === 'object' && value !== null && 'method' in value && 'path' in value,
  )
  if (endpoints.length < 20)
    return [`Only ${endpoints.length} endpoints were found: the check does not work.`]
  return endpoints.flatMap(({ id, service, credential }) => {
    if (credential === 'internal' && id === 'getServiceReadiness') return []
    const name = kebab(id)
    const has = (suffix: string) =>
      files.some((file) => file.startsWith(`apps/${service}/src/`) && file.endsWith(`/${name}${suffix}`))
    const problems = has('.ts') ? [] : [`The endpoint ${id} has no file ${name}.ts in apps/${service}.`]
    return has('.test.ts')
      ? problems
      : [...problems, `The endpoint ${id} has no test ${name}.test.ts in apps/${service}.`]
  })
}
