import * as openid from 'openid-client'

/** Gives an access token, the same one until a minute before it expires: a token for each call is a waste of both servers' time. */
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
