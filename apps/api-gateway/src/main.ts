import { run } from '@platform/service'
import { apiGateway } from './service.ts'

await run([apiGateway], process.env)
