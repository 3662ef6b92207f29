export { route } from '@platform/http'
