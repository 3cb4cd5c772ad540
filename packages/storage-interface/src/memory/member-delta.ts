import type { MemberChange } from '../group.ts'

/** Who comes and who goes: everybody once, and nobody who is there already or is not there. */
export function memberDelta(
  current: ReadonlySet<string>,
  change: MemberChange | undefined,
): { readonly joining: readonly string[]; readonly leaving: readonly string[] } {
  if (change === undefined) return { joining: [], leaving: [] }
  const added = new Set(change.kind === 'delta' ? change.add : change.memberIds)
  const removed = change.kind === 'delta' ? new Set(change.remove) : current
  return {
    joining: [...added].filter((id) => !current.has(id)),
    leaving: [...removed].filter((id) => current.has(id) && !added.has(id)),
  }
}
