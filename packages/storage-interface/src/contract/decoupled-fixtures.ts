import type { ApprovalRecord, DecoupledRequestRecord } from '../decoupled-request.ts'
import { clientId, familyId, grantId, userId } from '../values.ts'
import { aDigest, anAuthentication, now, nowPlus } from './fixtures.ts'

/** A request of a device that waits for a decision for ten minutes. */
export const aDecoupledRequest = (overrides: Partial<DecoupledRequestRecord> = {}): DecoupledRequestRecord => ({
  digest: aDigest('decoupled-1'),
  kind: 'device',
  userCodeDigest: aDigest('user-code-1'),
  clientId: clientId('client-1'),
  scopes: ['openid'],
  resources: [],
  authorizationDetails: [],
  acrValues: [],
  userId: undefined,
  userGeneration: undefined,
  bindingMessage: undefined,
  askedFrom: undefined,
  possession: { kind: 'none' },
  notification: undefined,
  status: 'pending',
  approval: undefined,
  pollInterval: 5,
  lastPolledAt: undefined,
  usableUntil: nowPlus(600),
  createdAt: now,
  expiresAt: nowPlus(1200),
  ...overrides,
})

/** What `aUser` allowed a device to do. */
export const anApproval = (overrides: Partial<ApprovalRecord> = {}): ApprovalRecord => ({
  grantId: grantId('grant-1'),
  familyId: familyId('family-1'),
  userId: userId('user-1'),
  scopes: ['openid'],
  resources: [],
  authorizationDetails: [],
  authentication: anAuthentication(),
  boundSessionId: undefined,
  organizationId: undefined,
  ...overrides,
})
