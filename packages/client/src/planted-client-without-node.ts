export { uuidv7 } from '@platform/kernel'
