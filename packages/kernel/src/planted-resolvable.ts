export * from './not-there.ts'
