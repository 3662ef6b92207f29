import {
  type ServiceLine,
  type ServiceName,
  type StoreKind,
  serviceNames,
  services,
  servicesBehindGateway,
  usualServices,
} from '@platform/contracts'

const HEAD = '// Made from packages/contracts/src/services.ts by `npm run generate`.\n'
const BEGIN = '# Made from packages/contracts/src/services.ts by `npm run generate`:'
const END = '# (end of what is made)'

const camelCase = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** In the order they are usually told: the gateway, then by port. */
const byPort = (one: ServiceName, other: ServiceName) => services[one].port - services[other].port
const servicesByPort = [...serviceNames].sort(byPort)
const usualByPort = [...usualServices].sort(byPort)

/** The services as `all-in-one` runs them, the gateway last: what it forwards to should be there. */
export function servicesModule(): string {
  const loaders = [...usualByPort.slice(1), ...usualByPort.slice(0, 1)].map((name) => {
    const value = camelCase(name)
    const key = name === value ? name : `'${name}'`
    return `  ${key}: async (): Promise<Service> => (await import('../../${name}/src/service.ts')).${value},`
  })
  return [
    `${HEAD}import type { Service } from '@platform/service'`,
    '',
    '/** In the order they are started; a process loads only those that it runs. */',
    'export const loadService = {',
    ...loaders,
    '}',
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

/** The compose file with a container for each service. */
export const composeFile = (text: string, version: string): string =>
  withSections(withVersion(text, version), [
    servicesByPort.map((name) => container(name, version)).join('\n'),
  ])

/** Images of the version that the checkout has, unless PLATFORM_VERSION names another. */
export const withVersion = (text: string, version: string): string =>
  text.replaceAll(/\$\{PLATFORM_VERSION:-[^}]*\}/g, `\${PLATFORM_VERSION:-${version}}`)

/** The gateway has the port that is published and the files, and starts when there is something to forward to. */
function container(name: ServiceName, version: string): string {
  const isGateway = name === 'api-gateway'
  const { needs, optional }: ServiceLine = services[name]
  const isAlone = optional === true && needs.length === 0
  const stores = needs.flatMap((need) => containers[need] ?? [])
  const others = isGateway ? servicesBehindGateway : []
  return [
    `  ${name}:`,
    '    <<: *service',
    ...(optional === true ? [`    profiles: [${name}]`] : []),
    ...(isAlone ? aloneWith(name) : []),
    withVersion(`    image: platform/${name}:\${PLATFORM_VERSION:-}`, version),
    `    build: { context: ../.., dockerfile: deploy/images/Dockerfile, args: { APP: ${name} } }`,
    ...(isGateway
      ? [
          `    ports: ["\${PUBLISHED_ADDRESS:-127.0.0.1}:\${PUBLISHED_PORT:-3001}:${services[name].port}"]`,
          '    volumes: ["secrets:/run/platform:ro", "./files:/etc/platform:ro", "files:/data"]',
        ]
      : isAlone
        ? [`    volumes: ["${name}:/run/platform:ro", "./files/${name}:/etc/platform:ro"]`]
        : ['    volumes: ["secrets:/run/platform:ro", "./files:/etc/platform:ro"]']),
    '    depends_on:',
    '      secrets: { condition: service_completed_successfully }',
    ...[...stores, ...others].map((needed) => `      ${needed}: { condition: service_healthy }`),
  ].join('\n')
}

/**
 * One that may be left out and has no store reaches none, and has settings, secrets and files of its own instead of
 * everybody's.
 */
const aloneWith = (name: ServiceName): string[] => [
  '    networks: [default]',
  '    env_file:',
  `      - path: ${name}.defaults.env`,
  `      - path: ${name}.env`,
  '        required: false',
]

/** What the containers start with: where the services are, and those that may be left out where the shell says so. */
export const composeDefaults = (text: string): string =>
  withSections(
    text,
    [
      servicesByPort
        .map((name) => {
          const { urlVariable, port, optional }: ServiceLine = services[name]
          if (optional === true) return `${urlVariable}=\${${urlVariable}:-}`
          return `${urlVariable}=http://${name}:${port}${name === 'api-gateway' ? '/v2' : ''}`
        })
        .join('\n'),
    ],
    '',
  )

/** The scrape configuration with a job for each service. */
export const scrapeFile = (text: string): string =>
  withSections(text, [
    servicesByPort
      .map((name) =>
        [
          `  - job_name: ${name}`,
          '    authorization:',
          '      credentials_file: /etc/prometheus/internal-key',
          ...targetsOf(name),
        ].join('\n'),
      )
      .join('\n'),
  ])

/** One that may be left out has no name then, and is not missed. */
function targetsOf(name: ServiceName): string[] {
  const { port, optional }: ServiceLine = services[name]
  if (optional !== true) return ['    static_configs:', `      - targets: ["${name}:${port}"]`]
  return ['    dns_sd_configs:', `      - { names: [${name}], type: A, port: ${port} }`]
}

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
