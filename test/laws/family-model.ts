/** A simple model of the expected behaviour. Every family stores all of its tokens; each outcome is computed from them. */
export interface FamilyModel {
  now: number
  isActive: boolean
  generation: number
  isClientDisabled: boolean
  readonly grants: ModelGrant[]
  readonly families: ModelFamily[]
}

interface ModelGrant {
  readonly generation: number
  isRevoked: boolean
}

export interface ModelFamily {
  readonly grant: ModelGrant
  isRevoked: boolean
  /** Oldest first; the last one is current. */
  readonly refreshTokens: string[]
  rotatedAt: number | undefined
  retriedAt: number | undefined
  idleUntil: number
  readonly absoluteUntil: number
  readonly accessTokens: { readonly token: string; readonly until: number; isRevoked: boolean }[]
}

export const emptyModel = (now: number): FamilyModel => ({
  now,
  isActive: true,
  generation: 0,
  isClientDisabled: false,
  grants: [],
  families: [],
})

/** Returns whether the family, its grant, its client and its user are all active. */
export function isFamilyActive(model: FamilyModel, family: ModelFamily): boolean {
  const isUnrevoked = !family.isRevoked && !family.grant.isRevoked && !model.isClientDisabled
  const isUserActive = model.isActive && family.grant.generation === model.generation
  return isUnrevoked && isUserActive && model.now < family.absoluteUntil
}

/** The expected outcome of presenting the refresh token that was issued `age` rotations ago. */
export type Presentation = 'client_refused' | 'refused' | 'rotated' | 'retried' | 'reused'

export function presentationOf(
  model: FamilyModel,
  family: ModelFamily,
  age: number,
  retryWindow: number,
): Presentation {
  if (model.isClientDisabled) return 'client_refused'
  if (!isFamilyActive(model, family) || model.now >= family.idleUntil) return 'refused'
  if (age === 0) return 'rotated'
  const { rotatedAt = -Infinity, retriedAt = rotatedAt } = family
  const isInWindow = model.now < Math.min(retriedAt + retryWindow, rotatedAt + retryWindow * 6)
  return age === 1 && isInWindow ? 'retried' : 'reused'
}

/** Returns the active grant of the user to the client, if there is one. */
export const currentGrant = (model: FamilyModel): ModelGrant | undefined =>
  model.grants.find((grant) => !grant.isRevoked && grant.generation === model.generation)
