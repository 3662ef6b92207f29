export { runtime } from '../../runtime/src/service.ts'
