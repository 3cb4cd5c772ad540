import { seconds } from '../../time.ts'
import type { RotateRequest } from '../../token-family.ts'
import { aDigest } from './a-digest.ts'
import { aFamilyRecord } from './a-family.ts'

/** A refresh token of `aFamilyRecord`, presented by its client for a successor, with a window of ten seconds. */
export function aPresentation(token: string, successor: string): RotateRequest {
  const { clientId, createdAt, expiresAt } = aFamilyRecord()
  return {
    handleDigest: aDigest('handle-1'),
    presentedDigest: aDigest(token),
    clientId,
    successorDigest: aDigest(successor),
    successorSalt: `salt of ${successor}`,
    expiresAt,
    now: createdAt,
    retryWindow: seconds(10),
  }
}
