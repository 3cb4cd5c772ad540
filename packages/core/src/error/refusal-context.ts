import type { TokenEndpointAuthMethod } from '@mintmark/storage-interface'

/** Who and what a refusal was about, as far as it was known. Names that open nothing. */
export interface RefusalContext {
  /** As presented: a stranger may have put anything there. */
  readonly clientId?: string | undefined
  /** With reason `client_authentication_method`: how the client came, and how it is registered to come. */
  readonly presentedMethod?: TokenEndpointAuthMethod | undefined
  readonly registeredMethod?: TokenEndpointAuthMethod | undefined
  readonly userId?: string | undefined
  readonly familyId?: string | undefined
}
