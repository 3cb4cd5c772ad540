import type { ClientRecord, EpochSeconds, SecretDigest } from '@mintmark/storage-interface'

import { digestSecret } from '../runtime/digest.ts'
import { equalInConstantTime } from '../runtime/equal-in-constant-time.ts'

/**
 * Finds the live secret that the presented one is. One digest and the same number of comparisons are made whoever asks:
 * for an unknown client, a wrong secret and an expired one alike.
 * @returns the digest of the secret that matched, or `undefined`.
 */
export async function verifyClientSecret(
  presented: string,
  client: ClientRecord | undefined,
  now: EpochSeconds,
): Promise<SecretDigest | undefined> {
  const digest = await digestSecret(presented)
  const secrets = client?.secrets ?? []

  let matched: SecretDigest | undefined
  for (let slot = 0; slot < maxLiveSecrets; slot += 1) {
    const secret = secrets[slot]
    const isEqual = equalInConstantTime(digest, secret?.digest ?? emptySlot)
    const isLive = secret !== undefined && (secret.expiresAt === undefined || now < secret.expiresAt)
    if (isEqual && isLive) matched = secret.digest
  }
  return matched
}

/** A client has at most two live secrets: the one in use, and the one that replaces it. */
export const maxLiveSecrets = 2

/** As long as a digest, and no digest: base64url has no dot. */
const emptySlot = '.'.repeat(43)
