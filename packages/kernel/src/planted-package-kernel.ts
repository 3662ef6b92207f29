export { limits } from '@platform/contracts'
