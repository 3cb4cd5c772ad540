/** A registration that is refused, in the codes of RFC 7591 §3.2.2. `description` says which member is wrong and why. */
export class ClientMetadataError extends Error {
  override readonly name = 'ClientMetadataError'
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata'
  readonly description: string

  constructor(code: ClientMetadataError['code'], description: string) {
    super(`${code}: ${description}`)
    this.code = code
    this.description = description
  }
}
