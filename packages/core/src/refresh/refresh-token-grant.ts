import type { TokenFamilyRecord } from '@mintmark/storage-interface'

import type { AuthenticatedClient } from '../client/authenticate-client.ts'
import { mayRefresh, registeredScopes } from '../client/registered-scopes.ts'
import { OAuthError } from '../error/oauth-error.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { spaceSeparated } from '../parameters/space-separated.ts'
import { resolveTarget, type TokenTargetDependencies } from '../resource/token-target.ts'
import { narrowResources } from '../resource/requested-resources.ts'
import { isFamilyActive } from '../tokens/status.ts'
import { defineGrant, type GrantType } from '../grant/grant.ts'
import { digestRefreshToken, readRefreshToken, type RefreshToken } from './refresh-token.ts'
import { rotateRefreshToken, type RotateRefreshTokenDependencies } from './rotate-refresh-token.ts'

export type RefreshTokenGrantDependencies = RotateRefreshTokenDependencies & TokenTargetDependencies

/** The refresh token grant (RFC 6749 §6) with rotation (RFC 9700 §4.14.2). */
export const refreshTokenGrant = (deps: RefreshTokenGrantDependencies): GrantType =>
  defineGrant({
    grantType: 'refresh_token',
    async decide(form, client, now) {
      const presented = await parsePresentedToken(form, client)
      const digests = await digestRefreshToken(presented)
      const standing = await deps.storage.status.ofRefreshHandle(digests.handleDigest)
      // RFC 6749 §10.4: bound to the client it was issued to; another's presentation changes nothing.
      if (standing?.family.clientId !== client.clientId) throw unknownToken(client, undefined)
      // The kill switch: what a deactivated user, a revoked grant or a disabled client was given opens nothing.
      if (!isFamilyActive(standing, now)) throw unknownToken(client, standing.family)
      // OIDC Core §11: a client from which offline access was taken is not given more of it.
      if (!mayRefresh(standing.family.scopes, client)) throw unknownToken(client, standing.family)
      const scopes = narrowScopes(form.get('scope'), registeredScopes(standing.family.scopes, client))
      const resources = narrowResources(form.all('resource'), standing.family.resources)
      const target = resolveTarget({ scopes, resources }, deps)
      const rotated = await rotateRefreshToken({ presented, digests, client }, now, deps)

      const { grantId, familyId, authentication, claimsRequest } = rotated.family
      return {
        evidence: rotated,
        client,
        target,
        forUser: { user: standing.user, grantId, familyId, authentication, claimsRequest, nonce: undefined },
        refreshToken: rotated.refreshToken,
      }
    },
  })

async function parsePresentedToken(form: Parameters, client: AuthenticatedClient): Promise<RefreshToken> {
  const text = form.get('refresh_token')
  // RFC 6749 §6: refresh_token is required.
  if (text === undefined) {
    throw new OAuthError('invalid_request', 'The refresh_token parameter is missing.', {
      reason: 'refresh_token_missing',
    })
  }
  const token = await readRefreshToken(text)
  // RFC 6749 §5.2: invalid_grant, as for a token that nobody has any more.
  if (token === undefined) throw unknownToken(client, undefined)
  return token
}

/** RFC 6749 §6: fewer scope values for this access token, never more than were granted; the grant stays as it is. */
function narrowScopes(requested: string | undefined, granted: readonly string[]): readonly string[] {
  if (requested === undefined) return granted
  const scopes = spaceSeparated(requested)
  // RFC 6749 §6: a scope that was not granted is refused, and the refresh token stays as it was.
  if (scopes.length === 0 || scopes.some((scope) => !granted.includes(scope))) {
    throw new OAuthError('invalid_scope', 'A requested scope was not granted.', { reason: 'scope_not_granted' })
  }
  return scopes
}

function unknownToken({ clientId }: AuthenticatedClient, family: TokenFamilyRecord | undefined): OAuthError {
  const context = { clientId, userId: family?.userId, familyId: family?.familyId }
  return new OAuthError('invalid_grant', 'The refresh token is not valid.', {
    reason: 'refresh_token_unknown',
    context,
  })
}
