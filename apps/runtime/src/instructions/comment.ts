import type { CommentArguments } from '@platform/contracts'
import type { Instruction } from './instruction.ts'

/** comment: nothing happens. */
export const comment: Instruction<CommentArguments> = { name: 'comment', compile: () => () => undefined }
