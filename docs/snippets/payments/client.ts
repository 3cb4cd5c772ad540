import * as client from 'openid-client'

/** Pushes a request for one payment, and returns the address to redirect the browser to. */
export const pushPayment = (
  config: client.Configuration,
  payment: { readonly amount: string; readonly creditor: string },
  parameters: Readonly<Record<string, string>>,
): Promise<URL> =>
  client.buildAuthorizationUrlWithPAR(config, {
    ...parameters,
    resource: 'https://bank.example/payments',
    authorization_details: JSON.stringify([{ type: 'payment', ...payment }]),
  })
