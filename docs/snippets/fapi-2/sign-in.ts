import * as client from 'openid-client'

/** Returns the configuration of a client that gets signed responses. */
export async function configure(issuer: URL, key: client.PrivateKey): Promise<client.Configuration> {
  const metadata = { authorization_signed_response_alg: 'ES256', id_token_signed_response_alg: 'ES256' }
  const config = await client.discovery(issuer, 'bank', metadata, client.PrivateKeyJwt(key))
  client.useJwtResponseMode(config)
  return config
}

/** Pushes a signed request, and returns the address to redirect the browser to. */
export async function pushSignedRequest(
  config: client.Configuration,
  key: client.PrivateKey,
  parameters: Readonly<Record<string, string>>,
): Promise<URL> {
  const signed = await client.buildAuthorizationUrlWithJAR(config, parameters, key)
  return client.buildAuthorizationUrlWithPAR(config, signed.searchParams)
}
