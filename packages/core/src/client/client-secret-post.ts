import { defineClientAuthentication } from './client-authentication.ts'
import { verifyClientSecret } from './verify-client-secret.ts'

/** `client_secret_post`: the client's identifier and secret as form parameters (RFC 6749 §2.3.1). */
export const clientSecretPost = defineClientAuthentication({
  method: 'client_secret_post',
  read(_request, form) {
    const secret = form.get('client_secret')
    if (secret === undefined) return undefined

    return {
      method: 'client_secret_post',
      clientId: form.get('client_id'),
      verify: (client, now) => verifyClientSecret(secret, client, now),
    }
  },
})
