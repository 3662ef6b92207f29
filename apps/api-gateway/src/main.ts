import { run, runInWorkers } from '@platform/service'
import { apiGateway } from './service.ts'

await runInWorkers(process.env, 'GATEWAY_WORKERS', (ready) => run([apiGateway], process.env, { ready }))
