import { createPrivateKey } from 'node:crypto'

import * as openid from 'openid-client'

/** The private key is PKCS #8 in PEM; make it with `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`. */
export async function signedConfig(issuer: string, privateKeyPem: string): Promise<openid.Configuration> {
  const key = createPrivateKey(privateKeyPem).toCryptoKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
  return openid.discovery(new URL(issuer), 'billing-signed', undefined, openid.PrivateKeyJwt(key))
}
