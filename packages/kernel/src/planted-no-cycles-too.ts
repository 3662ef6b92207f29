export * from './planted-no-cycles.ts'
