/** What must be honoured, told the plain way: every family remembers all its tokens, and every question is asked anew. */
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

/** Whether anything of the family counts: it, its grant, its client and its person are all in force. */
export function isFamilyLive(model: FamilyModel, family: ModelFamily): boolean {
  const isInForce = !family.isRevoked && !family.grant.isRevoked && !model.isClientDisabled
  const isSamePerson = model.isActive && family.grant.generation === model.generation
  return isInForce && isSamePerson && model.now < family.absoluteUntil
}

/** What presenting the refresh token that was issued `age` rotations ago comes to. */
export type Presentation = 'client_refused' | 'refused' | 'rotated' | 'retried' | 'reused'

export function presentationOf(
  model: FamilyModel,
  family: ModelFamily,
  age: number,
  retryWindow: number,
): Presentation {
  if (model.isClientDisabled) return 'client_refused'
  if (!isFamilyLive(model, family) || model.now >= family.idleUntil) return 'refused'
  if (age === 0) return 'rotated'
  const isInWindow = family.rotatedAt !== undefined && model.now < family.rotatedAt + retryWindow
  return age === 1 && isInWindow ? 'retried' : 'reused'
}

/** The grant that joins the person and the client now, if there is one that counts. */
export const currentGrant = (model: FamilyModel): ModelGrant | undefined =>
  model.grants.find((grant) => !grant.isRevoked && grant.generation === model.generation)
