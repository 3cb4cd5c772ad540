import type { ServerRequest } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds } from '@mintmark/storage-interface'

import type { Parameters } from '../parameters.ts'
import type { ClientAuthentication, OwnMethod } from './authenticate.ts'

/** A client authentication method of the host's own (RFC 6749 §2.3.2), for the option `clientAuthentication`. */
export interface ClientAuthenticationMethod {
  /**
   * An absolute URI, or `attest_jwt_client_auth` of `attestedClients`. Clients are registered with it as their
   * `tokenEndpointAuthMethod`; discovery lists it.
   */
  readonly method: OwnMethod
  /**
   * Reads the credentials of a request, such as a header or form parameters; `undefined` unless the request uses this method.
   * It must not throw, and trusts nothing that it reads.
   */
  read(request: ServerRequest, form: Parameters): OwnCredentials | undefined
}

/** The unverified credentials of a request. */
interface OwnCredentials {
  /** The `client_id` that they name; `undefined` when they are unreadable. */
  readonly clientId: string | undefined
  /**
   * Whether they belong to the client. It is called for an enabled client that is registered for the method, and for no other:
   * what it uses up, such as the identifier of an assertion, is the client's own. When it throws, the request fails with 500,
   * with 503 for a `StorageUnavailableError`, or as an `OAuthError` says.
   * @returns also the thumbprint of the key that this instance of the client has proven, to which its refresh tokens are bound.
   */
  verify(client: ClientRecord, now: EpochSeconds): Promise<boolean | { readonly instanceKey: string }>
}

/** Whatever the host returns, a proof is one of this method for the registered client. */
export const toClientAuthentication = (own: ClientAuthenticationMethod): ClientAuthentication => ({
  method: own.method,
  read(request, form) {
    const credentials = own.read(request, form)
    if (credentials === undefined) return undefined
    return {
      method: own.method,
      clientId: credentials.clientId,
      async verify(client, now) {
        if (client?.tokenEndpointAuthMethod !== own.method || client.disabledAt !== undefined) return undefined
        const proven: unknown = await credentials.verify(client, now)
        if (proven === true) return {}
        // A method in JavaScript may return anything. Only `true` and a key prove something.
        if (typeof proven !== 'object' || proven === null || !('instanceKey' in proven)) return undefined
        const { instanceKey } = proven
        return typeof instanceKey === 'string' && instanceKey !== '' ? { instanceKey } : undefined
      },
    }
  },
})
