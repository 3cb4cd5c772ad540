import { cacheLatest, encodeBase64url, hmacSha256 } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'

import type { KeyRing } from '../keys/ring.ts'

/**
 * Nonces for DPoP proofs (RFC 9449 §8). Nothing is stored: all processes of the issuer derive the same nonces from the
 * time.
 */
export interface DpopNonces {
  /** Returns the nonce that clients should use now. */
  current(now: EpochSeconds): Promise<string>
  /** Whether any process of the issuer issued the nonce within the last few minutes. */
  isAccepted(nonce: string, now: EpochSeconds): Promise<boolean>
}

export function createDpopNonces(deps: { readonly issuer: string; readonly keys: KeyRing }): DpopNonces {
  const noncesOf = cacheLatest((window: number) => deriveNonces(window, deps))
  /** Returns the nonces around this time, the current one first. Derives them once a minute. */
  const noncesAt = (now: EpochSeconds): Promise<readonly string[]> => noncesOf(Math.floor(now / windowLength))

  return {
    async current(now) {
      const [current] = await noncesAt(now)
      if (current === undefined) throw new TypeError('The key ring must derive at least one secret.')
      return current
    },
    isAccepted: async (nonce, now) => (await noncesAt(now)).includes(nonce),
  }
}

/**
 * Derives the accepted nonces. A nonce consists of a version, the number of its window, and the first half of an HMAC
 * over both and the issuer. Nonces of earlier secrets are accepted too, so that no request fails while the sealing key
 * is replaced.
 */
async function deriveNonces(
  window: number,
  { issuer, keys }: { readonly issuer: string; readonly keys: KeyRing },
): Promise<readonly string[]> {
  const secrets = await keys.deriveSecrets('dpop nonce')
  const windows = [window, window - 1, window - 2, window + 1, window + 2]
  return Promise.all(windows.flatMap((number) => secrets.map((secret) => nonceOf(number, issuer, secret))))
}

async function nonceOf(window: number, issuer: string, secret: Uint8Array): Promise<string> {
  const mac = await hmacSha256(secret, new TextEncoder().encode(`${version} ${window} ${issuer}`))
  const bytes = new Uint8Array(1 + 4 + 16)
  new DataView(bytes.buffer).setUint8(0, version)
  new DataView(bytes.buffer).setUint32(1, window)
  bytes.set(mac.subarray(0, 16), 5)
  return encodeBase64url(bytes)
}

const version = 1

/** In seconds. A nonce is accepted for two to three minutes, and ahead of time by processes whose clocks are behind. */
const windowLength = 60

/** In seconds: the maximum time for which a nonce is accepted. */
export const longestNonceLifetime = 5 * windowLength
