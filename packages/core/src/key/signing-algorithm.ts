import type { ClientRecord } from '@mintmark/storage-interface'

import type { SigningAlgorithm } from './key-ring.ts'

/** The algorithm that signs a client's ID tokens; RS256 unless it registered for another (OIDC Registration §2). */
export const idTokenAlgorithm = (client: ClientRecord): SigningAlgorithm => asSigningAlgorithm(client.idTokenSignedResponseAlg)

/** A stored algorithm name; what is none of ours falls back to the one that every client understands. */
export const asSigningAlgorithm = (name: string): SigningAlgorithm => (name === 'ES256' ? 'ES256' : 'RS256')
