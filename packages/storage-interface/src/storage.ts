import type { AuthorizationCodeStore } from './authorization-code.ts'
import type { ReplayStore } from './replay.ts'
import type { ClientStore } from './client.ts'
import type { RevocationStore } from './revocation.ts'
import type { GrantStore } from './grant.ts'
import type { GroupStore } from './group.ts'
import type { IdentityProviderStore } from './identity-provider.ts'
import type { InteractionStore } from './interaction.ts'
import type { LogStore } from './log-entry.ts'
import type { OpaqueTokenStore } from './opaque-token.ts'
import type { OrganizationStore } from './organization.ts'
import type { ProvisionedUserStore } from './provisioned-user.ts'
import type { PurgeStore } from './purge.ts'
import type { SessionStore } from './session.ts'
import type { SigningKeyStore } from './signing-key.ts'
import type { StatusStore } from './status.ts'
import type { TokenFamilyStore } from './token-family.ts'
import type { UserStore } from './user.ts'

/**
 * All stores of one issuer. A handle is bound to its issuer: nothing that was written through another issuer's handle is
 * found, changed or counted here, also when both share a database.
 *
 * There is no transaction handle, no upsert and no read-then-write: each method is atomic by itself, and the order in
 * which the server calls them is safe to cut anywhere.
 */
export interface Storage {
  /** The issuer identifier (RFC 8414 §2) that this handle is bound to. */
  readonly issuer: string
  readonly clients: ClientStore
  readonly users: UserStore
  readonly grants: GrantStore
  readonly codes: AuthorizationCodeStore
  readonly families: TokenFamilyStore
  readonly opaqueTokens: OpaqueTokenStore
  readonly interactions: InteractionStore
  readonly sessions: SessionStore
  readonly signingKeys: SigningKeyStore
  readonly replays: ReplayStore
  readonly identityProviders: IdentityProviderStore
  readonly provisionedUsers: ProvisionedUserStore
  readonly groups: GroupStore
  readonly organizations: OrganizationStore
  readonly logs: LogStore
  readonly revocations: RevocationStore
  readonly status: StatusStore
  readonly purge: PurgeStore
}
