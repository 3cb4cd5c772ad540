/** The grant type of assertions (RFC 7523 §2.1). */
export const jwtBearerGrantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** The grant type of devices (RFC 8628 §3.4). */
export const deviceCodeGrantType = 'urn:ietf:params:oauth:grant-type:device_code'

/** The grant type of clients that name the user whom the server asks (CIBA Core 1.0 §10.1). */
export const cibaGrantType = 'urn:openid:params:grant-type:ciba'

/** The grant types of this server. The name of any other is an absolute URI. */
export const standardGrants = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  deviceCodeGrantType,
  cibaGrantType,
] as const
