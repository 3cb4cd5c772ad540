/** Why an operation on a target was refused. */
type ProvisioningErrorReason = keyof typeof sentences

const sentences = {
  target_unknown: 'There is no such target.',
  target_id_invalid: 'The identifier of a target has 1 to 64 letters, digits and hyphens.',
  target_taken: 'There is a webhook or a target with this identifier.',
  target_url_invalid:
    'The address of a partner must use https, a host name that is not this server, and the default port, without a query.',
  target_credential_invalid:
    'A credential is either a bearer token, or a token endpoint with a client identifier and a client secret.',
  target_selection_empty: 'A target needs at least one identity provider, or the users of the host.',
  partner_failed: 'The partner did not answer as SCIM requires. The member `failure` says how.',
} as const

/** An operation on a target was refused or failed. */
export class ProvisioningError extends Error {
  override readonly name = 'ProvisioningError'
  readonly reason: ProvisioningErrorReason
  /** How the partner failed, as in the list of deliveries; undefined for other reasons. */
  readonly failure: string | undefined

  constructor(reason: ProvisioningErrorReason, failure?: string) {
    super(failure === undefined ? sentences[reason] : `${sentences[reason]} (${failure})`)
    this.reason = reason
    this.failure = failure
  }
}
