export { declaredEndpoints } from './declared-endpoints.ts'
export { type ApiAddress, describeApi } from './describe-api.ts'
export { exampleProblems } from './example-problems.ts'
