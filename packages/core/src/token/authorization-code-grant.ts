import type { EpochSeconds } from '@mintmark/storage-interface'

import type { AuthenticatedClient } from '../client/authenticate-client.ts'
import { registeredScopes } from '../client/registered-scopes.ts'
import { OAuthError } from '../error/oauth-error.ts'
import { resolveTarget, type TokenTargetDependencies } from '../resource/token-target.ts'
import { narrowResources } from '../resource/requested-resources.ts'
import { digestSecret } from '../runtime/digest.ts'
import { isGrantActive } from '../tokens/status.ts'
import { parseCodePresentation, type CodePresentation } from './code-presentation.ts'
import { createFamily, type CreateFamilyDependencies } from './create-family.ts'
import { defineGrant, type GrantType } from '../grant/grant.ts'
import { isIntact } from './intact-code.ts'
import { redeemCode, type RedeemCodeDependencies } from './redeem-code.ts'

export type AuthorizationCodeGrantDependencies = RedeemCodeDependencies &
  CreateFamilyDependencies &
  TokenTargetDependencies

/** The authorization code grant (RFC 6749 §4.1.3) with PKCE (RFC 7636). */
export const authorizationCodeGrant = (deps: AuthorizationCodeGrantDependencies): GrantType =>
  defineGrant({
    grantType: 'authorization_code',
    async decide(form, client, now) {
      const presentation = parseCodePresentation(form)
      if (presentation.resources.length > 0) await refuseWiderResources({ presentation, client }, now, deps)
      const code = await redeemCode({ presentation, client }, now, deps)
      const standing = await deps.storage.status.ofGrant(code.grantId)
      if (
        !isGrantActive(standing) ||
        standing.user.userId !== code.userId ||
        standing.client.clientId !== client.clientId
      ) {
        // RFC 6749 §5.2, the kill switch: what a deactivated user, a revoked grant or a disabled client was given opens nothing.
        throw new OAuthError('invalid_grant', 'The authorization code is not valid.', { reason: 'grant_not_live' })
      }
      const resources = narrowResources(presentation.resources, code.resources)
      const target = resolveTarget({ scopes: registeredScopes(code.scopes, client), resources }, deps)
      const refreshToken = await createFamily({ code, client, accessTokenLifetime: target.lifetime }, now, deps)

      const { grantId, familyId, authentication, claimsRequest, nonce } = code
      const forUser = { user: standing.user, grantId, familyId, authentication, claimsRequest, nonce }
      return { evidence: code, client, target, forUser, refreshToken }
    },
  })

/** Looks before the code is used up, so that a client which asks for the wrong resource may ask again. */
async function refuseWiderResources(
  { presentation, client }: { readonly presentation: CodePresentation; readonly client: AuthenticatedClient },
  now: EpochSeconds,
  deps: RedeemCodeDependencies,
): Promise<void> {
  const code = await deps.storage.codes.find(await digestSecret(presentation.code), client.clientId, now)
  if (code !== undefined && isIntact(code)) narrowResources(presentation.resources, code.resources)
}
