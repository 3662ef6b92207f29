export { type Client, createClient, reach, UnreachableError } from './client.ts'
