export { uuidv7 } from '../../../packages/kernel/src/ids.ts'
