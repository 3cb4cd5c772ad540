/**
 * One MUST, MUST NOT, SHALL or REQUIRED of a standard: its section, the requirement in our words, and its proofs. A proof is
 * a part of the title of an existing test, or the reason why there is no test.
 */
export type Requirement = readonly [section: string, must: string, ...proof: readonly (string | Unproven)[]]

export const verdicts = ['proven', 'outside', 'not offered', 'deviation', 'not tested'] as const

export type Verdict = (typeof verdicts)[number]

/** Why a requirement has no test of its own. */
export interface Unproven {
  readonly verdict: Exclude<Verdict, 'proven'>
  readonly why: string
}

export interface Standard {
  readonly name: string
  readonly title: string
  /** The URL of the published text. Sections of an RFC are fragments of it. */
  readonly address: string
  readonly requirements: readonly Requirement[]
}

/** The first proof decides. A test after a reason shows what the server does instead. */
export function verdictOf([, , first]: Requirement): Verdict {
  if (first === undefined) return 'not tested'
  return typeof first === 'string' ? 'proven' : first.verdict
}

/** The URL of an RFC. */
export const rfc = (number: number): string => `https://www.rfc-editor.org/rfc/rfc${number}`

/** A requirement for another party. */
export const outside = (why: string): Unproven => ({ verdict: 'outside', why })

/** A requirement on an optional feature that Mintmark does not have. */
export const notOffered = (why: string): Unproven => ({ verdict: 'not offered', why })

/** A requirement that Mintmark deliberately does not meet. */
export const deviation = (why: string): Unproven => ({ verdict: 'deviation', why })

/** A requirement without a test. */
export const notTested = (why: string): Unproven => ({ verdict: 'not tested', why })

/** A requirement for the application that requests tokens. */
export const clientsDuty = outside('a duty of the client')

/** The host or its proxy terminates TLS. Mintmark checks that URLs are https. */
export const hostsTls = outside('the host or its proxy terminates TLS')
