export * from '../test/testing.ts'
