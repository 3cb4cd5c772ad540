import type { Random } from '@mintmark/internal'
import { epochSeconds, type EpochSeconds } from '@mintmark/storage-interface'
import { jsonCodec, pushedRequests } from '@mintmark/storage-interface/records'
import { type PushedRequestRecord, secretDigest, type SecretDigest } from '@mintmark/storage-interface/stores'

import type { KeyRing } from '../keys/ring.ts'
import type { Parameters } from '../parameters.ts'
import { createSeal, type Seal } from './seal.ts'

/**
 * Seals a pushed request into its `request_uri`, for clients in whose name a stranger can push requests. An opened
 * request may since have expired or been used, or belong to another client.
 */
export type PushSeal = Seal<PushedRequestRecord>

export function createPushSeal(deps: {
  readonly issuer: string
  readonly keys: KeyRing
  readonly random: Random
}): PushSeal {
  return createSeal(
    {
      purpose: 'pushed requests',
      context: `pushed request ${deps.issuer}`,
      // Shorter than the handle of an interaction, which contains the same parameters and the user's sign-in.
      maxLength: 6000,
      ...jsonCodec(pushedRequests.fields, 'omitted'),
    },
    deps,
  )
}

/** The pushed request that is consumed when a code is issued for it. */
export type PushedReference =
  | { readonly kind: 'stored'; readonly digest: SecretDigest; readonly requestUri: string }
  | { readonly kind: 'sealed'; readonly digest: SecretDigest; readonly expiresAt: EpochSeconds }

/**
 * Returns the parameters that an interaction keeps of a pushed request. For a stored request these are its reference;
 * for a sealed one, which would not fit into the handle, the parameters, with the digest and the expiry of the request.
 */
export function keepPushed(
  pushed: PushedReference,
  { client_id, ...parameters }: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const identified = client_id === undefined ? {} : { client_id }
  return pushed.kind === 'stored'
    ? { ...identified, request_uri: pushed.requestUri }
    : { ...identified, ...parameters, [keptName]: `${pushed.digest}.${pushed.expiresAt}` }
}

/**
 * Returns the sealed request that an interaction continues with.
 * @param kept the parameters that the server sealed into the interaction; nobody else can set this one.
 */
export function recallSealedPush(kept: Parameters): PushedReference | undefined {
  const [, digest, expiresAt] = /^([\w-]{43})\.(\d+)$/.exec(kept.get(keptName) ?? '') ?? []
  if (digest === undefined) return undefined
  return { kind: 'sealed', digest: secretDigest(digest), expiresAt: epochSeconds(Number(expiresAt)) }
}

/** Not a parameter of a standard: requests that contain it are parsed without it. */
const keptName = 'pushed_request'
