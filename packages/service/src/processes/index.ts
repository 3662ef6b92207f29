export { stopOnSignals } from '../process-signals.ts'
export { type Contained, contained, type Death } from './contained.ts'
export { ASIDE, ProcessGroup } from './process-group.ts'
