import type { ResolvedPath } from '@platform/expressions'
import type { SetType } from '../contexts/variables.ts'
import type { Frame } from './model.ts'

/*
 * Whatever a step does to a variable is done here, so that whoever looks at the run sees it.
 */

/** Writes a variable in a step. */
export function assign(frame: Frame, path: ResolvedPath, value: unknown, type?: SetType): void {
  const { variables, observed } = frame
  if (observed === undefined) variables.assign(path, value, type)
  else observed.change(frame, path, () => variables.assign(path, value, type))
}

/** Removes a variable, or a part of one, in a step. */
export function remove(frame: Frame, path: ResolvedPath): void {
  const { variables, observed } = frame
  if (observed === undefined) variables.remove(path)
  else observed.change(frame, path, () => variables.remove(path))
}
