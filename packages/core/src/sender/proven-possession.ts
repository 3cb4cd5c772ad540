import type { Brand } from '@mintmark/storage-interface'
import type { Possession } from '@mintmark/storage-interface/stores'

/**
 * The key that the sender of a request has proven to hold, or the fact that it has proven none. Only the token endpoint
 * creates this value; a grant type passes on the value that it received.
 */
export type ProvenPossession = Brand<Possession, 'ProvenPossession'>

/** The value for a request that proves possession of no key. */
export const noPossession = Object.freeze({ kind: 'none' }) as ProvenPossession
