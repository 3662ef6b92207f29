export { userStore } from '../users/user-store.ts'
