import type { ClientRecord, EpochSeconds, SecretDigest } from '@mintmark/storage-interface'

import { digestSecret } from '../runtime/digest.ts'
import { equalInConstantTime } from '../runtime/equal-in-constant-time.ts'
import type { CredentialProof } from './client-authentication.ts'

/**
 * Proves a presented secret to be one of the client's live ones. One digest and the same number of comparisons are
 * made whoever asks: for an unknown client, a wrong secret and an expired one alike.
 */
export async function verifyClientSecret(
  presented: string,
  client: ClientRecord | undefined,
  now: EpochSeconds,
): Promise<CredentialProof | undefined> {
  const digest = await digestSecret(presented)
  const secrets = client?.secrets ?? []

  let matched: SecretDigest | undefined
  for (let slot = 0; slot < maxLiveSecrets; slot += 1) {
    const secret = secrets[slot]
    const isEqual = equalInConstantTime(digest, secret?.digest ?? emptySlot)
    const isLive = secret !== undefined && (secret.expiresAt === undefined || now < secret.expiresAt)
    if (isEqual && isLive) matched = secret.digest
  }
  return matched === undefined ? undefined : { usedSecret: matched }
}

/** A client has at most two live secrets: the one in use, and the one that replaces it. */
export const maxLiveSecrets = 2

/** As long as a digest, and no digest: base64url has no dot. */
const emptySlot = '.'.repeat(43)
