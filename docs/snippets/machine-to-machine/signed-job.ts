import { createPrivateKey } from 'node:crypto'

import * as openid from 'openid-client'

/** @param privateKey in PEM; create it with `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`. */
export async function signedConfig(issuer: string, privateKey: string): Promise<openid.Configuration> {
  const bytes = createPrivateKey(privateKey).export({ format: 'der', type: 'pkcs8' })
  const key = await crypto.subtle.importKey('pkcs8', bytes, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
  return openid.discovery(new URL(issuer), 'billing-signed', undefined, openid.PrivateKeyJwt(key))
}
