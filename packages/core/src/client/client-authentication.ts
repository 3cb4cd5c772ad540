import type { ClientRecord, EpochSeconds, SecretDigest, TokenEndpointAuthMethod } from '@mintmark/storage-interface'

import type { ServerRequest } from '../http/index.ts'
import type { Parameters } from '../parameters/parameters.ts'

/** That credentials are the client's, and which of its secrets they were, when they were one. */
export interface CredentialProof {
  readonly usedSecret?: SecretDigest
}

/** What a request presented to prove its client, before anything of it was checked. */
export interface PresentedCredentials {
  readonly method: TokenEndpointAuthMethod
  /** As presented; `undefined` when it was unreadable. */
  readonly clientId: string | undefined
  /**
   * Proof that the credentials are the client's, or `undefined`. A secret is checked with the same work for a client that
   * does not exist, so that the delay does not tell which clients do.
   */
  verify(client: ClientRecord | undefined, now: EpochSeconds): Promise<CredentialProof | undefined>
}

/** A way to authenticate a client (RFC 6749 §2.3). */
export interface ClientAuthentication {
  readonly method: TokenEndpointAuthMethod
  /**
   * The credentials, when the request uses this method; `undefined` when it does not.
   * @throws OAuthError when it uses the method in a way that is malformed.
   */
  read(request: ServerRequest, form: Parameters): PresentedCredentials | undefined
}

/** Declares a client authentication method; discovery lists it. */
export const defineClientAuthentication = (method: ClientAuthentication): ClientAuthentication => method
