import type { ClientRecord } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'
import type { KeyRing, SigningAlgorithm } from './ring.ts'

/** What a key ring signs with. */
export type SigningAlgorithms = Pick<KeyRing, 'algorithms'>

/** What a client is signed for that chose no algorithm: RS256, as OIDC Registration §2 has it, or the first of a ring that lacks it. */
export const defaultAlgorithm = ({ algorithms }: SigningAlgorithms): SigningAlgorithm =>
  algorithms.find((algorithm) => algorithm === 'RS256') ?? algorithms[0]

/**
 * The algorithm that signs a client's ID tokens. RS256 is in a registration also where nothing was chosen, so it gives way
 * to the first of a ring that lacks it; discovery says which that is (OIDC Registration §2).
 * @throws OAuthError unauthorized_client — reason `signing_algorithm_unavailable`.
 */
export const idTokenAlgorithm = (client: ClientRecord, keys: SigningAlgorithms): SigningAlgorithm =>
  client.idTokenSignedResponseAlg === 'RS256'
    ? defaultAlgorithm(keys)
    : chosenAlgorithm(client.idTokenSignedResponseAlg, keys)

/**
 * The algorithm that a client chose by name.
 * @throws OAuthError unauthorized_client — reason `signing_algorithm_unavailable`.
 */
export function chosenAlgorithm(name: string, keys: SigningAlgorithms): SigningAlgorithm {
  const algorithm = keys.algorithms.find((own) => own === name)
  // OIDC Registration §2: the algorithm is required for this client, so another one would be a forgery to it.
  if (algorithm === undefined) {
    throw new OAuthError(
      'unauthorized_client',
      'The client is registered for an algorithm that this server does not sign with.',
      {
        reason: 'signing_algorithm_unavailable',
      },
    )
  }
  return algorithm
}
