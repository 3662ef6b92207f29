export * from './planted-no-cycles-too.ts'
