import { type FieldSchema, isSecret, type ServiceVariables } from './service-variables.ts'

type Schema = Record<string, unknown>

/** An object that refuses names it does not know. */
const closed = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...more,
})

const text = { type: 'string' }
const flag = { type: 'boolean' }
const whole = { type: 'integer', minimum: 0 }
const positive = { type: 'integer', minimum: 1 }
const percent = { type: 'integer', minimum: 1, maximum: 100 }
const names = { type: 'array', items: text }
/** What Kubernetes itself checks. */
const open = { type: 'object' }
const openList = { type: 'array', items: open }
const texts = { type: 'object', additionalProperties: text }
const quantity = { type: ['string', 'number'] }

/** A value that stands in a Secret or a ConfigMap, as Kubernetes writes it. */
const keyRef = closed({ name: text, key: text, optional: flag }, { required: ['name', 'key'] })
const references = {
  secret: closed({ secretKeyRef: keyRef }, { required: ['secretKeyRef'] }),
  reference: closed(
    { secretKeyRef: keyRef, configMapKeyRef: keyRef },
    { minProperties: 1, maxProperties: 1 },
  ),
}
const refer = (name: string): Schema => ({ $ref: `#/definitions/${name}` })

/**
 * A variable in the values: as the service reads it, or a reference. A secret is a reference only, and an address
 * stands here only without credentials: what is written here can be read by everybody who may read Deployments.
 */
function variableSchema(name: string, field: FieldSchema): Schema {
  const { description, default: preset } = field
  if (isSecret(name, field))
    return {
      description: `${description} A secret: name the Secret that holds it.`,
      allOf: [refer('secret')],
    }
  const meaning = { description, ...(preset === undefined ? {} : { default: preset }) }
  const rules = Object.entries(field).filter(
    ([keyword, value]) => !notes.has(keyword) && (keyword !== 'pattern' || isKnownToGo(String(value))),
  )
  return { ...meaning, anyOf: [valueSchema(name, Object.fromEntries(rules)), refer('reference')] }
}

/** What a field says beside its rules. */
const notes = new Set(['description', 'default', 'secret', 'passwordOf'])

/** An address may name a user: the password is a variable of its own then. */
const WITHOUT_PASSWORD = '^[^@]*$|^[^:]*://[^:@/]*@[^@]*$'

/** Helm reads patterns as Go does, which does not look ahead or behind; the service itself refuses the rest. */
const isKnownToGo = (pattern: string): boolean => !/\(\?[=!<]/.test(pattern)

function valueSchema(name: string, rules: Schema): Schema {
  if (rules.type === 'integer' || rules.type === 'number')
    return { ...rules, type: [rules.type, 'string'], pattern: '^-?[0-9]+(\\.[0-9]+)?$' }
  if (name.endsWith('_URL')) return { allOf: [rules, { type: 'string', pattern: WITHOUT_PASSWORD }] }
  if (rules.enum !== undefined) return rules
  return { ...rules, type: ['string', 'boolean', 'integer'] }
}

const probe = closed({
  periodSeconds: positive,
  timeoutSeconds: { type: 'integer', minimum: 3 },
  failureThreshold: positive,
})

/** What may be set for every service in `defaults`, and for one in `services`. */
const workload: Record<string, Schema> = {
  replicas: whole,
  resources: open,
  autoscaling: closed({
    enabled: flag,
    minReplicas: positive,
    maxReplicas: positive,
    cpuPercent: percent,
    memoryPercent: percent,
    behavior: open,
  }),
  disruptionBudget: closed({ enabled: flag, maxUnavailable: { type: ['integer', 'string'] } }),
  topologySpread: closed({ enabled: flag, whenUnsatisfiable: { enum: ['ScheduleAnyway', 'DoNotSchedule'] } }),
  probes: closed({ startup: probe, readiness: probe, liveness: probe }),
  nodeSelector: texts,
  tolerations: openList,
  affinity: open,
  priorityClassName: text,
  podAnnotations: texts,
  podLabels: texts,
  extraEnv: openList,
  extraVolumes: openList,
  extraVolumeMounts: openList,
}

/** A store the chart can run itself. */
const store = (more: Record<string, Schema> = {}): Schema =>
  closed({ enabled: flag, image: text, resources: open, nodeSelector: texts, tolerations: openList, ...more })
const storage = { size: quantity, storageClass: text }

const values: Record<string, Schema> = {
  nameOverride: text,
  fullnameOverride: text,
  image: closed({
    registry: text,
    repository: text,
    tag: text,
    pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
    pullSecrets: names,
  }),
  defaults: closed(workload),
  secrets: closed({ existingSecret: text }),
  serviceAccount: closed({ create: flag, name: text, annotations: texts }),
  service: closed({
    type: { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
    annotations: texts,
    externalTrafficPolicy: { enum: ['Cluster', 'Local'] },
  }),
  ingress: closed({
    enabled: flag,
    className: text,
    annotations: texts,
    host: text,
    tls: closed({ enabled: flag, secretName: text }),
  }),
  httpRoute: closed({ enabled: flag, annotations: texts, parentRefs: openList, hostnames: names }),
  files: closed({
    persistence: closed({ enabled: flag, existingClaim: text, accessModes: names, ...storage }),
  }),
  migrations: closed({ enabled: flag, activeDeadlineSeconds: positive, resources: open }),
  metrics: closed({
    port: { type: 'integer', minimum: 1024, maximum: 65_535 },
    serviceMonitor: closed({ enabled: flag, interval: text, labels: texts }),
    rules: closed({ enabled: flag, labels: texts }),
    dashboard: closed({ enabled: flag, labels: texts, annotations: texts }),
  }),
  networkPolicy: closed({
    enabled: flag,
    gatewayFrom: openList,
    metricsFrom: openList,
    storesTo: openList,
    functionsTo: openList,
    privateRanges: names,
    blockedRanges: names,
  }),
  postgresql: store({
    instances: positive,
    ...storage,
    parameters: texts,
    spec: open,
    operatorNamespace: text,
  }),
  valkey: store({ maxMemory: text }),
  nats: store(storage),
  opensearch: store({ heap: text, ...storage }),
  test: closed({ accessToken: refer('secret') }),
  extraObjects: openList,
  // What a chart that has this one as a subchart may pass down.
  global: open,
}

/** The schema of the chart’s values: unknown names are refused, and every variable of every service is known. */
export function chartSchema(services: readonly ServiceVariables[]): string {
  const fields = new Map(services.flatMap(({ fields }) => [...fields]))
  const variables = [...fields].sort(([one], [other]) => one.localeCompare(other))
  const referTo = (readNames: Iterable<string>) =>
    closed(Object.fromEntries([...readNames].map((name) => [name, refer(name)])))
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: 'Made by `npm run generate` from the configuration of each service.',
    definitions: {
      ...references,
      ...Object.fromEntries(variables.map(([name, field]) => [name, variableSchema(name, field)])),
    },
    ...closed({
      ...values,
      config: referTo(variables.map(([name]) => name)),
      services: closed(
        Object.fromEntries(
          services.map(({ name, fields, isOptional }) => [
            name,
            closed({ ...(isOptional ? { enabled: flag } : {}), ...workload, config: referTo(fields.keys()) }),
          ]),
        ),
      ),
    }),
  }
  return `${JSON.stringify(schema, undefined, 1)}\n`
}
