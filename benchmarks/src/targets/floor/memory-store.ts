import type { FloorCode, FloorFamily, FloorFixture, FloorStatus, FloorStore } from './floor-store.ts'

export function memoryFloorStore({ clientId, secretDigest, sessionDigest, user, grant }: FloorFixture): FloorStore {
  const clients = new Map([[clientId, secretDigest]])
  const sessions = new Map([[sessionDigest, { sessionId: 'session', userId: user.userId }]])
  const users = new Map([[user.userId, user]])
  const grants = new Map([[grant.grantId, grant]])
  const consents = new Map([[`${user.userId} ${clientId}`, grant]])
  const codes = new Map<string, FloorCode>()
  const families = new Map<string, FloorFamily>()
  const handles = new Map<string, string>()
  const revoked = new Set<string>()

  const grantStatus = (grantId: string | undefined): FloorStatus | undefined => {
    const found = grants.get(grantId ?? '')
    const owner = users.get(found?.userId ?? '')
    return found === undefined || owner === undefined ? undefined : { grant: found, user: owner }
  }

  return {
    clientSecret: (id) => clients.get(id),
    session: (digest) => sessions.get(digest),
    user: (id) => users.get(id),
    consent: (userId, id) => consents.get(`${userId} ${id}`),
    insertCode: (digest, code) => void codes.set(digest, code),
    consumeCode: (digest) => {
      const code = codes.get(digest)
      codes.delete(digest)
      return code
    },
    grantStatus,
    insertFamily: (family) => {
      families.set(family.familyId, family)
      handles.set(family.handleDigest, family.familyId)
    },
    familyByHandle: (handleDigest) => grantStatus(families.get(handles.get(handleDigest) ?? '')?.grantId),
    familyById: (familyId) => grantStatus(families.get(familyId)?.grantId),
    familyOfToken: (familyId, tokenId) =>
      revoked.has(tokenId) ? undefined : grantStatus(families.get(familyId)?.grantId),
    rotate: (handleDigest, currentDigest, successorDigest) => {
      const family = families.get(handles.get(handleDigest) ?? '')
      if (family?.currentDigest !== currentDigest) return false
      families.set(family.familyId, { ...family, currentDigest: successorDigest })
      return true
    },
  }
}
