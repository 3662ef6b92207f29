// What the Helm chart knows of the services: their lines, the schema of its values, and copies of the dashboard and the
// alerts, which Helm reads from its own folder only.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { chartSchema } from './generate/chart-schema.ts'
import { chartFile, chartServices } from './generate/chart-services.ts'
import { serviceVariables } from './generate/service-variables.ts'

const chart = 'deploy/helm/platform'
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

writeFileSync(`${chart}/Chart.yaml`, chartFile(readFileSync(`${chart}/Chart.yaml`, 'utf8'), version))
writeFileSync(`${chart}/files/services.yaml`, chartServices(serviceVariables))
writeFileSync(`${chart}/values.schema.json`, chartSchema(serviceVariables))
copyFileSync('deploy/grafana/platform.json', `${chart}/files/dashboard.json`)
copyFileSync('deploy/prometheus/rules.yaml', `${chart}/files/rules.yaml`)
