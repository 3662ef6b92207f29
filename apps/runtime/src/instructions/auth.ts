import type { AuthArguments } from '@platform/contracts'
import type { Frame } from '../automations/model.ts'
import type { CallingFrame } from '../fetches/own-api.ts'
import { type Instruction, invalidInstruction } from './instruction.ts'

/** auth: a proof of the workspace, for `fetch` to the platform itself and for nothing else. */
export const auth: Instruction<AuthArguments> = {
  name: 'auth',
  compile(args, { texts, path }) {
    const readWorkspace = texts.reader(args.workspace)
    const write = texts.writer(args.output)
    return async (frame) => {
      const isWanted = readWorkspace(frame)
      if (isWanted !== true && isWanted !== 'true')
        throw invalidInstruction('auth knows one kind of token: write "workspace: true".')
      const { run } = frame
      const { own } = run.fetches
      if (own === undefined)
        throw invalidInstruction('auth makes no tokens here: the platform has no API beside.')
      const jwt = await run.fromOutside(frame, path, () => own.proofOf(callingFrame(frame)), {
        onlyReads: true,
      })
      run.secrets.add(jwt)
      write(frame, { jwt })
    }
  },
}

/** A frame as it shows itself to the platform's own API. */
export const callingFrame = ({ run, depth }: Pick<Frame, 'run' | 'depth'>): CallingFrame => ({
  workspaceId: run.workspace.id,
  runId: run.runId,
  depth,
  correlationId: run.correlationId,
  userId: run.subject.isAgain === true ? undefined : run.subject.userId,
  sessionId: run.subject.sessionId,
})
