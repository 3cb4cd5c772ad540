/** Why an administrator's change of an identity provider was refused. */
export type ProviderErrorReason = 'invalid_identifier' | 'identifier_taken' | 'provider_unknown' | 'too_many_secrets'

/** A refusal that an administrator can mend. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly reason: ProviderErrorReason

  constructor(reason: ProviderErrorReason) {
    super(sentences[reason])
    this.reason = reason
  }
}

const sentences: Readonly<Record<ProviderErrorReason, string>> = {
  invalid_identifier: 'The identifier of an identity provider has 1 to 64 letters, digits and hyphens.',
  identifier_taken: 'There is, or was, an identity provider with this identifier. Choose another one.',
  provider_unknown: 'There is no such identity provider.',
  too_many_secrets: 'The identity provider has as many live secrets as it may have. End one of them first.',
}
