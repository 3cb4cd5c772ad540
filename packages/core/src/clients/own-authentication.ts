import type { ServerRequest } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds } from '@mintmark/storage-interface'

import type { Parameters } from '../parameters.ts'
import type { ClientAuthentication, HostMethod } from './authenticate.ts'

/** A client authentication method that the host defines (RFC 6749 §2.3.2), for the option `clientAuthentication`. */
export interface ClientAuthenticationMethod {
  /**
   * An absolute URI, or `attest_jwt_client_auth` of `attestedClients`. Clients are registered with it as their
   * `tokenEndpointAuthMethod`; discovery lists it.
   */
  readonly method: HostMethod
  /**
   * Reads the credentials of a request, such as a header or form parameters; `undefined` unless the request uses this
   * method. It must not throw, and must not trust anything that it reads.
   */
  read(request: ServerRequest, form: Parameters): HostCredentials | undefined
}

/** The unverified credentials of a request. */
interface HostCredentials {
  /** The `client_id` in the credentials; `undefined` when they cannot be read. */
  readonly clientId: string | undefined
  /**
   * Verifies that the credentials belong to the client. It is called only for an enabled client that is registered for
   * the method, so anything that it marks as used, such as the identifier of an assertion, is this client's. When it
   * throws an `OAuthError`, that is the response; the status is 503 for a `StorageUnavailableError`, and 500 for any
   * other error.
   * @returns `true` if they do, or `{ instanceKey }`, the thumbprint of the key that this instance of the client has
   *   proven; refresh tokens are then bound to that key. Otherwise `false`.
   */
  verify(client: ClientRecord, now: EpochSeconds): Promise<boolean | { readonly instanceKey: string }>
}

/** Adapts a method of the host. Accepts its proof only for an enabled client that is registered for the method. */
export const toClientAuthentication = (hostMethod: ClientAuthenticationMethod): ClientAuthentication => ({
  method: hostMethod.method,
  read(request, form) {
    const credentials = hostMethod.read(request, form)
    if (credentials === undefined) return undefined
    return {
      method: hostMethod.method,
      clientId: credentials.clientId,
      async verify(client, now) {
        if (client?.tokenEndpointAuthMethod !== hostMethod.method || client.disabledAt !== undefined) return undefined
        const proven: unknown = await credentials.verify(client, now)
        if (proven === true) return {}
        // A method in JavaScript may return anything. Only `true` and a key are proof.
        if (typeof proven !== 'object' || proven === null || !('instanceKey' in proven)) return undefined
        const { instanceKey } = proven
        return typeof instanceKey === 'string' && instanceKey !== '' ? { instanceKey } : undefined
      },
    }
  },
})
