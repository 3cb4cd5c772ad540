import * as openid from 'openid-client'

/**
 * Asks a person to approve a payment, and waits for the decision.
 * @param config from `openid.discovery`, with the credentials of the agent.
 * @returns the access token for this payment. It rejects with `access_denied` if the person denies it, and with
 *   `expired_token` if they do not answer.
 */
export async function askToPay(
  config: openid.Configuration,
  person: string,
  payment: { readonly amount: string; readonly creditor: string },
): Promise<string> {
  const asked = await openid.initiateBackchannelAuthentication(config, {
    scope: 'openid',
    login_hint: person,
    binding_message: 'Order 1234',
    authorization_details: JSON.stringify([{ type: 'payment', ...payment }]),
    requested_expiry: '300',
  })
  const tokens = await openid.pollBackchannelAuthenticationGrant(config, asked)
  return tokens.access_token
}
