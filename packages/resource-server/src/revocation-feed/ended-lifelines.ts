import { digest } from '../runtime/digest.ts'
import type { EpochMilliseconds } from '../runtime/clock.ts'
import { lifelineKinds, type LifelineKind, type Lifelines } from './lifelines.ts'

/** Something that tokens depended on and that has ended: until then, in seconds, a token could still name it. */
export type Revocation = readonly [kind: LifelineKind, name: string, until: number]

/** What has ended, as far as a token could still depend on it. */
export interface EndedLifelines {
  /** A later ending of one name takes the place of an earlier one: a client that is in use again has ended until 0. */
  add(endings: readonly Revocation[], now: EpochMilliseconds): void
  /** Whether one of them has ended. */
  hasOneOf(lifelines: Lifelines, now: EpochMilliseconds): Promise<boolean>
}

export function endedLifelines(): EndedLifelines {
  const ended = new Map(lifelineKinds.map((kind) => [kind, new Map<string, number>()]))
  const isEnded = (kind: LifelineKind, name: string, now: EpochMilliseconds): boolean => {
    const until = ended.get(kind)?.get(name)
    return until !== undefined && now / 1000 < until
  }

  return {
    add(endings, now) {
      if (endings.length > 0) for (const names of ended.values()) forgetOld(names, now)
      for (const [kind, name, until] of endings) ended.get(kind)?.set(name, until)
    },
    async hasOneOf({ token, client, person }, now) {
      if (isEnded('token', token, now) || isEnded('client', client, now)) return true
      if (person === undefined) return false
      if (isEnded('family', person.family, now) || isEnded('grant', person.grant, now)) return true
      // Accounts are named by digests: whoever does not know a subject learns nothing of it.
      const account = ended.get('account')?.size === 0 ? undefined : await digest(person.subject)
      if (account === undefined) return false
      return isEnded('account', account, now) || isEnded('account', `${account}.${person.generation}`, now)
    },
  }
}

/** In the order of arrival, up to the first that is not over. */
function forgetOld(names: Map<string, number>, now: EpochMilliseconds): void {
  for (const [name, until] of names) {
    if (now / 1000 < until) return
    names.delete(name)
  }
}
