/** Who this API is to the authorization server: a confidential client that was registered with `servedAudiences`. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** The Authorization header of a client that proves itself by its secret: each part form-encoded first (RFC 6749 §2.3.1). */
export const basicAuthorization = ({ clientId, clientSecret }: ClientCredentials): string =>
  `Basic ${btoa(`${encodeForm(clientId)}:${encodeForm(clientSecret)}`)}`

const encodeForm = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
