import { readFileSync } from 'node:fs'
import { usualServices } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { type ClusterObject, openCluster } from '../support/cluster.ts'
import { CHART, helm, helmProgram, objectsOf, render, valueSets, valuesOf } from '../support/helm.ts'
import { definitions } from '../support/kubernetes-schemas.ts'
import { StandInNode } from '../support/stand-in-node.ts'

const NAMESPACE = 'platform-test'
const CUSTOM_RESOURCES = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const secretPath = `/api/v1/namespaces/${NAMESPACE}/secrets/demo-platform-secrets`
const cluster = openCluster()

/** The pods a set of values makes, as pods of their own. */
async function podsOf(name: string): Promise<ClusterObject[]> {
  const objects = objectsOf(await render(valuesOf(name)))
  const templates = objects.flatMap((object) =>
    object.kind === 'Pod' ? [object] : (object.spec?.template ?? []),
  )
  // A StatefulSet adds its claims to the volumes of its pods.
  const claimed = { name: 'data', emptyDir: {} }
  return templates.map(({ spec }, at) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${name}-${at}`, labels: { 'pod-template-hash': 'none' } },
    // The account and the class are made elsewhere.
    spec: {
      ...spec,
      serviceAccountName: 'default',
      priorityClassName: undefined,
      volumes: [...spec.volumes.filter(({ name }: { name: string }) => name !== 'data'), claimed],
    },
  }))
}

describe.runIf(cluster !== undefined && helmProgram !== undefined)('the Helm chart in a cluster', () => {
  if (cluster === undefined) return
  let node: StandInNode

  const inCluster = (...args: string[]) =>
    helm([...args, '--namespace', NAMESPACE], { KUBECONFIG: cluster.kubeconfig })
  const done = async (...args: string[]) => {
    const { code, output, complaint } = await inCluster(...args)
    expect(code, output + complaint).toBe(0)
    return output
  }
  const install = (command: string, ...more: string[]) =>
    done(command, 'demo', CHART, ...valuesOf('inside'), '--wait', '--timeout', '120s', ...more)
  const deployments = () => cluster.list(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments`)
  const images = async () =>
    (await deployments()).map(({ spec }) => spec.template.spec.containers[0].image).sort()
  const imagesOf = (tag: string) => usualServices.map((name) => `platform/${name}:${tag}`).sort()

  beforeAll(async () => {
    for (const file of definitions().resources)
      await cluster.create(CUSTOM_RESOURCES, parse(readFileSync(file, 'utf8')))
    await cluster.create('/api/v1/namespaces', {
      metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    })
    await vi.waitFor(() => cluster.get(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`), 30_000)
    await vi.waitFor(
      () => cluster.list(`/apis/postgresql.cnpg.io/v1/namespaces/${NAMESPACE}/clusters`),
      30_000,
    )
    node = new StandInNode(cluster, NAMESPACE)
  })
  afterAll(async () => {
    await inCluster('uninstall', 'demo', '--wait=false', '--no-hooks')
    await node?.[Symbol.asyncDispose]()
    await cluster.remove(`/api/v1/namespaces/${NAMESPACE}`)
  })

  test('makes only pods that the standard "restricted" admits, of every set of values', async () => {
    const path = `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`
    for (const name of valueSets) {
      const pods = await podsOf(name)
      expect(pods.length).toBeGreaterThan(usualServices.length)
      for (const pod of pods)
        expect(await cluster.create(path, pod), pod.metadata.name).toEqual({ status: 201, message: '' })
    }
    const [pod] = await podsOf('small')
    const container = { ...pod?.spec.containers[0], securityContext: { allowPrivilegeEscalation: true } }
    const planted = { ...pod, spec: { ...pod?.spec, containers: [container] } }
    const refused = await cluster.create(path, planted)
    expect(refused).toMatchObject({ status: 403, message: expect.stringContaining('restricted') })
  })

  test('is installed, with secrets of its own', { timeout: 180_000 }, async () => {
    await install('install')
    expect(await images()).toEqual(imagesOf('0.1.0'))
    const { data } = await cluster.get(secretPath)
    const text = (key: string) => Buffer.from(data[key], 'base64').toString()
    expect(Object.keys(data).sort()).toEqual([
      'ADMIN_PASSWORD',
      'INTERNAL_API_KEY',
      'SECRETS_MASTER_KEYS',
      'SESSION_COOKIES_SIGN_SECRET',
    ])
    expect(Buffer.from(text('SECRETS_MASTER_KEYS').replace(/^k1:/, ''), 'base64')).toHaveLength(32)
    // Of the one that a Deployment begins with, the autoscaler makes two.
    await vi.waitFor(
      async () => {
        for (const { status } of await deployments()) expect(status.availableReplicas).toBe(2)
      },
      { timeout: 60_000, interval: 500 },
    )
    // The database comes with the release: services bring it up to date themselves.
    expect(node.ran.filter(({ component }) => component === 'migrations')).toEqual([])
  })

  test('is upgraded after its migrations, with never fewer ready than before', {
    timeout: 180_000,
  }, async () => {
    const before = (await cluster.get(secretPath)).data
    for (const name of usualServices) node.fewestReady.set(name, Number.POSITIVE_INFINITY)
    node.ran.length = 0
    await install('upgrade', '--set', 'image.tag=0.2.0')
    expect(await images()).toEqual(imagesOf('0.2.0'))
    const order = node.ran.map(({ component, image }) => (component === 'migrations' ? image : component))
    expect(order.slice(0, usualServices.length)).toEqual(
      ['events', 'runtime', 'workspaces', 'api-gateway'].map((name) => `platform/${name}:0.2.0`),
    )
    expect(Object.fromEntries(node.fewestReady)).toEqual(
      Object.fromEntries(usualServices.map((name) => [name, 2])),
    )
    expect((await cluster.get(secretPath)).data).toEqual(before)
  })

  test('changes nothing where a migration does not end', { timeout: 180_000 }, async () => {
    node.stuck.add('migrations')
    const { code, complaint } = await inCluster(
      ...['upgrade', 'demo', CHART, ...valuesOf('inside'), '--set', 'image.tag=0.3.0', '--timeout', '5s'],
    )
    node.stuck.clear()
    expect(code).toBe(1)
    expect(complaint).toContain('pre-upgrade hooks failed')
    expect(await images()).toEqual(imagesOf('0.2.0'))
  })

  test('goes back to what was installed first', { timeout: 180_000 }, async () => {
    for (const name of usualServices) node.fewestReady.set(name, Number.POSITIVE_INFINITY)
    await done('rollback', 'demo', '1', '--wait', '--timeout', '120s')
    expect(await images()).toEqual(imagesOf('0.1.0'))
    expect(Object.fromEntries(node.fewestReady)).toEqual(
      Object.fromEntries(usualServices.map((name) => [name, 2])),
    )
  })

  test('is scaled by an autoscaler whose number an upgrade leaves alone', { timeout: 180_000 }, async () => {
    const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/demo-platform-runtime`
    await cluster.patch(path, { spec: { replicas: 4 } })
    await install('upgrade', '--set', 'services.runtime.config.RUN_CONCURRENCY=32')
    expect((await cluster.get(path)).spec.replicas).toBe(4)
  })

  test('runs functions in pods of their own where they are wanted', { timeout: 180_000 }, async () => {
    await install('upgrade', '--set', 'services.functions.enabled=true')
    const made = (await deployments()).map(({ metadata }) => metadata.name)
    expect(made).toContain('demo-platform-functions')
    expect((await images()).filter((image) => image.includes('functions'))).toHaveLength(1)
    const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/demo-platform-functions`
    expect((await cluster.get(path)).status.readyReplicas).toBeGreaterThan(0)
    await install('upgrade')
    expect(await images()).toEqual(imagesOf('0.1.0'))
  })

  test('has its test', { timeout: 180_000 }, async () => {
    const output = await done('test', 'demo', '--timeout', '60s')
    expect(output).toMatch(/TEST SUITE:\s+demo-platform-test[\s\S]*Phase:\s+Succeeded/)
    const { data } = await cluster.get(`/api/v1/namespaces/${NAMESPACE}/configmaps/demo-platform-test`)
    expect(data['main-job.mjs']).toBe(readFileSync(`${CHART}/files/main-job.mjs`, 'utf8'))
  })

  test('refuses to have its secrets overwritten by what does not know them', async () => {
    const others = objectsOf(await render(valuesOf('inside'))).find(
      ({ kind, metadata }) => kind === 'Secret' && metadata.name === 'demo-platform-secrets',
    )
    const metadata = { ...others?.metadata, namespace: NAMESPACE }
    const refused = await cluster.replace(secretPath, { ...others, metadata })
    expect(refused).toMatchObject({ status: 422, message: expect.stringContaining('immutable') })
  })

  test('leaves its secrets and its database behind, and finds them again', { timeout: 180_000 }, async () => {
    const before = (await cluster.get(secretPath)).data
    await done('uninstall', 'demo', '--wait')
    expect(await deployments()).toEqual([])
    const databases = () => cluster.list(`/apis/postgresql.cnpg.io/v1/namespaces/${NAMESPACE}/clusters`)
    const [database] = await databases()
    expect(database?.metadata.name).toBe('demo-platform-postgresql')
    await install('install')
    expect((await cluster.get(secretPath)).data).toEqual(before)
    expect(await databases()).toHaveLength(1)
  })

  test('migrates before its first start where the database is there', { timeout: 180_000 }, async () => {
    await done('uninstall', 'demo', '--wait')
    node.ran.length = 0
    await done('install', 'demo', CHART, ...valuesOf('external'), '--wait', '--timeout', '120s')
    const migrated = node.ran.slice(0, usualServices.length).map(({ component }) => component)
    expect(migrated).toEqual(usualServices.map(() => 'migrations'))
  })
})
