import type { AdminContext } from '../audit/admin-context.ts'
import { AdminError } from '../error/admin-error.ts'
import { lacksOthers, type Administered } from './last-administrators.ts'

/** Something that may leave nobody to administer. */
export interface Ending<Result> {
  readonly userId: string
  /** What the account administers, and will not afterwards. */
  readonly administered: Administered
  readonly end: () => Promise<Result>
  /** Undoes it. */
  readonly undo: (ended: Result) => Promise<unknown>
}

/**
 * Does something that may leave nobody to administer, unless it does. It is looked at again afterwards: of two
 * administrators who end each other at the same moment, neither has seen the other gone before; then at least one of
 * the two ends is undone.
 * @throws AdminError `last_administrator`.
 */
export async function endUnlessLast<Result>(
  { userId, administered, end, undo }: Ending<Result>,
  acting: AdminContext,
): Promise<Result> {
  // RFC 9110 §15.5.10: it would lock everybody out.
  if (await lacksOthers(userId, administered, acting)) throw new AdminError('last_administrator')

  const ended = await end()
  if (!(await lacksOthers(userId, administered, acting))) return ended
  await undo(ended)
  // RFC 9110 §15.5.10: somebody else has ended the others meanwhile.
  throw new AdminError('last_administrator')
}
