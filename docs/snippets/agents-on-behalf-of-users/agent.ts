import * as openid from 'openid-client'

/**
 * Exchanges the token of a user, with which the assistant was called, for a token with which it reads their invoices.
 * @param config from `openid.discovery`, with the credentials of the assistant.
 */
export async function actFor(config: openid.Configuration, accessToken: string): Promise<string> {
  const tokens = await openid.genericGrantRequest(config, 'urn:ietf:params:oauth:grant-type:token-exchange', {
    subject_token: accessToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    resource: 'https://invoices.example.com',
    scope: 'invoices.read',
  })
  return tokens.access_token
}
