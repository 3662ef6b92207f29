import { type ServiceName, type StoreKind, serviceNames, services } from '@platform/contracts'

const HEAD = '// Made from packages/contracts/src/services.ts by `npm run generate`.\n'
const BEGIN = '# Made from packages/contracts/src/services.ts by `npm run generate`:'
const END = '# (end of what is made)'

const camelCase = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** In the order they are usually told: the gateway, then by port. */
const servicesByPort = [...serviceNames].sort((one, other) => services[one].port - services[other].port)

/** The services as `all-in-one` runs them, the gateway last: what it forwards to should be there. */
export function servicesModule(): string {
  const imports = [...serviceNames]
    .sort()
    .map((name) => `import { ${camelCase(name)} } from '../../${name}/src/service.ts'`)
  const names = [...servicesByPort.slice(1), ...servicesByPort.slice(0, 1)].map(camelCase)
  return [
    `${HEAD}import type { Service } from '@platform/service'`,
    ...imports,
    '',
    `export const services: readonly Service[] = [${names.join(', ')}]`,
    '',
  ].join('\n')
}

/** What each service reads of the environment, for the operators’ tool. */
export function environmentsModule(): string {
  const imports = [...serviceNames]
    .sort()
    .map((name) => `import { environment as ${camelCase(name)} } from '../../../${name}/src/config.ts'`)
  const entries = servicesByPort.map((name) => {
    const value = camelCase(name)
    return name === value ? `  ${name},` : `  '${name}': ${value},`
  })
  return `${HEAD}${imports.join('\n')}\n\nexport const environments = {\n${entries.join('\n')}\n}\n`
}

/** Which container of the compose file a store is. */
const containers: Partial<Record<StoreKind, string>> = {
  postgres: 'postgres',
  cache: 'valkey',
  broker: 'nats',
}

const dependsOn = (name: ServiceName): string =>
  services[name].needs.flatMap((need: StoreKind) => containers[need] ?? []).join(', ')

/** The compose file with the addresses of all services, and the containers of those behind the gateway. */
export function composeFile(text: string): string {
  const addresses = servicesByPort.map((name) => {
    const { urlVariable, port } = services[name]
    return `  ${urlVariable}: http://${name}:${port}${name === 'api-gateway' ? '/v2' : ''}`
  })
  const behind = servicesByPort.filter((name) => name !== 'api-gateway')
  const blocks = behind.map((name) =>
    [
      `  ${name}:`,
      '    <<: *service',
      `    build: { context: ../.., dockerfile: deploy/images/Dockerfile, args: { APP: ${name} } }`,
      `    environment: { <<: *environment, PORT: ${services[name].port} }`,
      `    depends_on: [${dependsOn(name)}]`,
    ].join('\n'),
  )
  return withSections(text, [addresses.join('\n'), blocks.join('\n')])
}

/** The scrape configuration with a job for each service. */
export const scrapeFile = (text: string): string =>
  withSections(text, [
    servicesByPort
      .map((name) =>
        [
          `  - job_name: ${name}`,
          '    authorization:',
          '      credentials_file: /etc/prometheus/internal-key',
          '    static_configs:',
          `      - targets: ["${name}:${services[name].port}"]`,
        ].join('\n'),
      )
      .join('\n'),
  ])

/** The images of the services, each with the port it listens on. */
export function dockerfile(text: string): string {
  const stages = servicesByPort.map((name) => {
    const { port } = services[name]
    return `FROM image AS ${name}\nENV PORT=${port}\nEXPOSE ${port}`
  })
  return withSections(text, [stages.join('\n')], '')
}

/** Replaces what stands between the marks, section by section. Throws where a mark is missing. */
function withSections(text: string, sections: readonly string[], indent = '  '): string {
  const parts = text.split(new RegExp(`^ *${escaped(BEGIN)}\n[^]*?^ *${escaped(END)}\n`, 'm'))
  if (parts.length !== sections.length + 1)
    throw new Error(`Expected ${sections.length} sections that begin with "${BEGIN}" and end with "${END}".`)
  return parts
    .map((part, at) => (at === 0 ? part : `${indent}${BEGIN}\n${sections[at - 1]}\n${indent}${END}\n${part}`))
    .join('')
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
