export { declaredEndpoints } from './declared.ts'
export { type ApiAddress, describeApi } from './describe-api.ts'
export { exampleProblems } from './example-problems.ts'
