// The files that name every service, from the table packages/contracts/src/services.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import {
  composeFile,
  dockerfile,
  environmentsModule,
  scrapeFile,
  servicesModule,
} from './generate/service-files.ts'

const rewrite = (file: string, change: (text: string) => string) =>
  writeFileSync(file, change(readFileSync(file, 'utf8')))

writeFileSync('apps/all-in-one/src/services.ts', servicesModule())
writeFileSync('apps/ops/src/config/environments.ts', environmentsModule())
rewrite('deploy/compose/platform.yaml', composeFile)
rewrite('deploy/prometheus/scrape.yaml', scrapeFile)
rewrite('deploy/images/Dockerfile', dockerfile)
