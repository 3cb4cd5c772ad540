import type { ClientAuthenticationMethod } from '@mintmark/core'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'

const cluster = 'https://cluster.example'
const keys = createRemoteJWKSet(new URL(`${cluster}/openid/v1/jwks`))

/** Authenticates workloads of the cluster by the token of their service account. Its subject is the `client_id`. */
export const workloadIdentity: ClientAuthenticationMethod = {
  method: 'urn:example:client-auth:workload',
  read(request) {
    const token = request.headers.get('x-workload-token')
    if (token === undefined) return undefined
    return {
      clientId: subjectOf(token),
      async verify(client) {
        const expected = { issuer: cluster, subject: client.clientId, audience: 'https://login.example' }
        return jwtVerify(token, keys, { ...expected, algorithms: ['RS256'], requiredClaims: ['exp'] }).then(
          () => true,
          () => false,
        )
      },
    }
  },
}

function subjectOf(token: string): string | undefined {
  try {
    return decodeJwt(token).sub
  } catch {
    return undefined
  }
}
