import * as openid from 'openid-client'

/**
 * Creates a function that returns the same access token until a minute before it expires. A new token for each call
 * would waste time on both servers.
 */
export function tokenSource(config: openid.Configuration): () => Promise<string> {
  let cached: { readonly token: Promise<string>; readonly until: number } | undefined

  return () => {
    if (cached !== undefined && Date.now() < cached.until) return cached.token
    const response = openid.clientCredentialsGrant(config, {
      scope: 'invoices.read',
      resource: 'https://api.example.com',
    })
    const entry = { token: response.then((tokens) => tokens.access_token), until: Infinity }
    cached = entry
    response.then(
      ({ expires_in = 60 }) => (cached = { ...entry, until: Date.now() + (expires_in - 60) * 1000 }),
      () => (cached = undefined),
    )
    return entry.token
  }
}
