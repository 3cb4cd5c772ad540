import type { AccessTokenClaims } from '../access-token/access-token-claims.ts'

/** The kinds of things that an access token's life depends on. What the feed calls ended is one of them, by its name. */
export const lifelineKinds = ['account', 'client', 'family', 'grant', 'token'] as const

export type LifelineKind = (typeof lifelineKinds)[number]

/** The names of what one access token's life depends on. */
export interface Lifelines {
  readonly token: string
  readonly client: string
  /** `undefined` for a client that acts for itself. */
  readonly person: PersonLifelines | undefined
}

interface PersonLifelines {
  readonly subject: string
  /** The account's generation that the token belongs to: it ends with each deactivation, and is never honoured again. */
  readonly generation: number
  readonly family: string
  readonly grant: string
}

/**
 * Reads what a token's life depends on. A token for a person names its family.
 * @returns `undefined` when it does not name all: nothing can then be said of it.
 */
export function readLifelines({ tokenId, clientId, subject, claims }: AccessTokenClaims): Lifelines | undefined {
  const { family, grant, generation } = claims
  if (family === undefined) return { token: tokenId, client: clientId, person: undefined }
  if (typeof family !== 'string' || typeof grant !== 'string' || !Number.isSafeInteger(generation)) return undefined
  return { token: tokenId, client: clientId, person: { subject, generation: Number(generation), family, grant } }
}
