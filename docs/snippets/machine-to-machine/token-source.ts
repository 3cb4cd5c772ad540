import * as openid from 'openid-client'

/** Returns the same access token until a minute before it expires, because a new token for each call wastes time on both servers. */
export function tokenSource(config: openid.Configuration): () => Promise<string> {
  let kept: { readonly token: Promise<string>; readonly until: number } | undefined

  return () => {
    if (kept !== undefined && Date.now() < kept.until) return kept.token
    const answer = openid.clientCredentialsGrant(config, {
      scope: 'invoices.read',
      resource: 'https://api.example.com',
    })
    const mine = { token: answer.then((tokens) => tokens.access_token), until: Infinity }
    kept = mine
    answer.then(
      ({ expires_in = 60 }) => (kept = { ...mine, until: Date.now() + (expires_in - 60) * 1000 }),
      () => (kept = undefined),
    )
    return mine.token
  }
}
