import type { JsonObject } from '../authorization-server/json-object.ts'
import type { Clock, EpochMilliseconds } from '../runtime/clock.ts'
import { isWithin } from '../runtime/spaced.ts'
import { digest } from '../runtime/digest.ts'

/** What the authorization server said of a token, kept for a moment. */
export type Introspect = (token: string) => Promise<JsonObject | undefined>

interface Answer {
  readonly description: JsonObject | undefined
  readonly askedAt: EpochMilliseconds
  /** In milliseconds. */
  readonly keepFor: number
}

/**
 * Remembers answers, yes and no alike, for `cacheFor` milliseconds, and a yes no longer than the token lives (RFC 7662 §4).
 * Tokens are told apart by their digest and kept nowhere. Requests that bring one token at the same time make for one
 * question. Both kinds of answers are bounded, each by itself, so that invented tokens do not push out real ones.
 */
export function introspectionCache(
  ask: Introspect,
  { cacheFor, clock }: { readonly cacheFor: number; readonly clock: Clock },
): Introspect {
  const asking = new Map<string, Promise<JsonObject | undefined>>()
  const active = new Map<string, Answer>()
  const inactive = new Map<string, Answer>()

  const remember = (key: string, description: JsonObject | undefined, askedAt: EpochMilliseconds): void => {
    const answers = description === undefined ? inactive : active
    const expiresAt = Number(description?.['exp'] ?? Infinity) * 1000
    answers.delete(key)
    makeRoom(answers, clock())
    answers.set(key, { description, askedAt, keepFor: Math.min(cacheFor, expiresAt - askedAt) })
  }
  const askOnce = async (key: string, token: string): Promise<JsonObject | undefined> => {
    // The age counts from the question: what was true then may have ended while the answer was under way.
    const askedAt = clock()
    try {
      const description = await ask(token)
      remember(key, description, askedAt)
      return description
    } finally {
      asking.delete(key)
    }
  }

  return async (token) => {
    const key = await digest(token)
    const now = clock()
    const known = [active.get(key), inactive.get(key)].find((answer) => answer !== undefined && isKept(answer, now))
    if (known !== undefined) return known.description
    const question = asking.get(key) ?? askOnce(key, token)
    asking.set(key, question)
    return question
  }
}

const isKept = ({ askedAt, keepFor }: Answer, now: EpochMilliseconds): boolean => isWithin(askedAt, keepFor, now)

/** Forgets what is over, from the oldest on, and the oldest when it is too many. */
function makeRoom(answers: Map<string, Answer>, now: EpochMilliseconds): void {
  for (const [key, answer] of answers) {
    if (isKept(answer, now) && answers.size < maxAnswers) return
    answers.delete(key)
  }
}

const maxAnswers = 10_000
