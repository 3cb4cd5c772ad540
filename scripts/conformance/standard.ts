/**
 * One MUST, MUST NOT, SHALL or REQUIRED of a standard, in our words: its section, what it asks, and what proves it:
 * parts of the titles of tests, each of which must exist, or why there is none.
 */
export type Requirement = readonly [section: string, must: string, ...proof: readonly (string | Unproven)[]]

export const verdicts = ['proven', 'outside', 'not offered', 'departed', 'not tested'] as const

export type Verdict = (typeof verdicts)[number]

/** Why a requirement has no test of its own. */
export interface Unproven {
  readonly verdict: Exclude<Verdict, 'proven'>
  readonly why: string
}

export interface Standard {
  readonly name: string
  readonly title: string
  /** Where it is published; sections of an RFC are found below it. */
  readonly address: string
  readonly requirements: readonly Requirement[]
}

/** What comes first decides: a test that is named behind a reason shows what is done instead. */
export function verdictOf([, , first]: Requirement): Verdict {
  if (first === undefined) return 'not tested'
  return typeof first === 'string' ? 'proven' : first.verdict
}

/** The address of an RFC. */
export const rfc = (number: number): string => `https://www.rfc-editor.org/rfc/rfc${number}`

/** Somebody else's to keep. */
export const outside = (why: string): Unproven => ({ verdict: 'outside', why })

/** Of a feature that the standard leaves open and that is not there. */
export const notOffered = (why: string): Unproven => ({ verdict: 'not offered', why })

/** Ours to keep, and deliberately not kept. */
export const departed = (why: string): Unproven => ({ verdict: 'departed', why })

/** Ours to keep, and no test holds it: said so that nobody has to find out. */
export const notTested = (why: string): Unproven => ({ verdict: 'not tested', why })

/** What the application that asks for tokens has to do itself. */
export const clientsDuty = outside('a duty of the client')

/** TLS ends at the host or its proxy; that addresses are https is ours. */
export const hostsTls = outside('TLS ends at the host or its proxy')
