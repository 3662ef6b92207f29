export * from './testing.ts'
