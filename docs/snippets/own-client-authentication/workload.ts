import type { ClientAuthenticationMethod } from '@mintmark/core'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { createRemoteJWKSet, decodeJwt, errors, jwtVerify } from 'jose'

const cluster = 'https://cluster.example'
const keys = createRemoteJWKSet(new URL(`${cluster}/openid/v1/jwks`))

/** Authenticates workloads of the cluster by their service account token, whose subject is the `client_id`. */
export const workloadIdentity: ClientAuthenticationMethod = {
  method: 'urn:example:client-auth:workload',
  read(request) {
    const token = request.headers.get('x-workload-token')
    if (token === undefined) return undefined
    return {
      clientId: subjectOf(token),
      async verify(client) {
        const expected = { issuer: cluster, subject: client.clientId, audience: 'https://login.example' }
        try {
          await jwtVerify(token, keys, { ...expected, algorithms: ['RS256'], requiredClaims: ['exp'] })
          return true
        } catch (cause) {
          if (isOutage(cause)) throw new StorageUnavailableError('The keys of the cluster cannot be read.', { cause })
          return false
        }
      },
    }
  },
}

/** Returns whether the keys could not be read. All other errors of jose mean that the token is not valid. */
const isOutage = (error: unknown): boolean =>
  !(error instanceof errors.JOSEError) ||
  ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', errors.JOSEError.code].includes(error.code)

function subjectOf(token: string): string | undefined {
  try {
    return decodeJwt(token).sub
  } catch {
    return undefined
  }
}
