import { isGrantActive } from '@mintmark/core'
import type { EpochSeconds, GrantRecord, Storage } from '@mintmark/storage-interface'

/** What a person allowed a client. */
export interface GrantView {
  /** It opens nothing. */
  readonly grantId: string
  readonly clientId: string
  readonly userId: string
  readonly scopes: readonly string[]
  readonly createdAt: EpochSeconds
  /**
   * Whether anything under it is honoured now: not, when the client is disabled or the account has been deactivated
   * since.
   */
  readonly honoured: boolean
}

export async function grantView(grant: GrantRecord, { storage }: { readonly storage: Storage }): Promise<GrantView> {
  const { grantId, clientId, userId, scopes, createdAt } = grant
  return {
    grantId,
    clientId,
    userId,
    scopes,
    createdAt,
    honoured: isGrantActive(await storage.status.ofGrant(grantId)),
  }
}
