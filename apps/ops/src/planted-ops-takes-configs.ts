export { runtime } from '@platform/runtime'
