import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { askScript } from './helm.ts'

type Schema = Record<string, unknown>
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

interface Definitions {
  /** OpenAPI of versions of Kubernetes. */
  kubernetes: readonly { version: string; file: string }[]
  /** CustomResourceDefinitions of operators. */
  resources: readonly string[]
}

/** The files scripts/servers/kubeconform.sh has fetched. */
export function definitions(): Definitions {
  const rows = askScript('kubeconform', 'definitions')
    .split('\n')
    .map((line) => line.split(' '))
  return {
    kubernetes: rows.flatMap(([kind, version = '', file = '']) =>
      kind === 'kubernetes' ? [{ version, file }] : [],
    ),
    resources: rows.flatMap(([kind, file = '']) => (kind === 'resource' ? [file] : [])),
  }
}

/** Writes a JSON Schema of each kind that is named, into a folder a version, as kubeconform looks for them. */
export function writeSchemas(folder: string, kinds: ReadonlySet<string>): void {
  const { kubernetes, resources } = definitions()
  for (const { version, file } of kubernetes) {
    mkdirSync(`${folder}/v${version}`, { recursive: true })
    const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as { definitions: Record<string, Schema> }
    for (const [name, definition] of Object.entries(definitions)) {
      const [of, another] = (definition['x-kubernetes-group-version-kind'] ?? []) as (
        | GroupVersionKind
        | undefined
      )[]
      if (of === undefined || another !== undefined || !kinds.has(of.kind)) continue
      write(`${folder}/v${version}`, of, { ...strict(definition), definitions: reachable(name, definitions) })
    }
    for (const resource of resources) writeResource(`${folder}/v${version}`, resource)
  }
}

interface GroupVersionKind {
  group: string
  version: string
  kind: string
}

function write(folder: string, { group, version, kind }: GroupVersionKind, schema: Schema): void {
  const suffix = [kind, group.split('.')[0] ?? '', version].filter((part) => part !== '').join('-')
  writeFileSync(`${folder}/${suffix.toLowerCase()}.json`, JSON.stringify(schema))
}

function writeResource(folder: string, file: string): void {
  const { spec } = parse(readFileSync(file, 'utf8')) as {
    spec: {
      group: string
      names: { kind: string }
      versions: { name: string; schema: { openAPIV3Schema: Schema & { properties: Schema } } }[]
    }
  }
  for (const { name, schema } of spec.versions) {
    const whole = schema.openAPIV3Schema
    // What every object has is not in the definition.
    const common = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } }
    const closed = strict({ ...whole, properties: { ...whole.properties, ...common } })
    write(folder, { group: spec.group, version: name, kind: spec.names.kind }, closed)
  }
}

/** What a definition refers to, however far. */
function reachable(from: string, all: Record<string, Schema>): Record<string, Schema> {
  const found: Record<string, Schema> = {}
  const waiting = [from]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found[name] !== undefined) continue
    found[name] = strict(all[name] ?? {})
    for (const [, next = ''] of JSON.stringify(all[name]).matchAll(/"#\/definitions\/([^"]+)"/g))
      waiting.push(next)
  }
  return found
}

/** As the API server reads it: no unknown fields, numbers where a quantity or a port may be one. */
function strict(schema: Schema): Schema {
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strictValue(value)]))
  if (copy.format === 'int-or-string') return { type: ['string', 'integer'] }
  if (/quantity/i.test(String(copy.description)) && copy.type === 'string')
    return { type: ['string', 'number'] }
  const isOpen =
    copy['x-kubernetes-preserve-unknown-fields'] === true || copy.additionalProperties !== undefined
  return isSchema(copy.properties) && !isOpen ? { ...copy, additionalProperties: false } : copy
}

const strictValue = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(strictValue) : isSchema(value) ? strict(value) : value
