import { isGrantLive } from '../standing/is-live.ts'
import { OAuthError } from '../error/oauth-error.ts'
import { parseCodePresentation } from './code-presentation.ts'
import { defineGrant, type GrantType } from './grant.ts'
import { redeemCode, type RedeemCodeDependencies } from './redeem-code.ts'

export interface AuthorizationCodeGrantDependencies extends RedeemCodeDependencies {
  readonly defaultAudience: string
}

/** The authorization code grant (RFC 6749 §4.1.3) with PKCE (RFC 7636). */
export const authorizationCodeGrant = (deps: AuthorizationCodeGrantDependencies): GrantType =>
  defineGrant({
    grantType: 'authorization_code',
    async decide(form, client, now) {
      const presentation = parseCodePresentation(form)
      const redeemed = await redeemCode({ presentation, client }, now, deps)
      const { code, family } = redeemed
      const standing = await deps.storage.standing.ofGrant(code.grantId)
      // The kill switch: what a deactivated person, a revoked grant or a disabled client was given opens nothing.
      if (!isGrantLive(standing)) throw invalidGrant('grant_not_live')
      const founded = await deps.storage.families.insert(family)
      // RFC 6749 §4.1.2: the code was presented twice while this request was at work.
      if (founded.outcome === 'buried') throw invalidGrant('code_replayed')

      return {
        evidence: redeemed,
        client,
        subject: code.userId,
        scopes: code.scopes,
        audience: [deps.defaultAudience],
        person: {
          userId: code.userId,
          familyId: family.familyId,
          authentication: code.authentication,
          claims: standing.user.claims,
          nonce: code.nonce,
        },
      }
    },
  })

const invalidGrant = (reason: 'grant_not_live' | 'code_replayed'): OAuthError =>
  new OAuthError('invalid_grant', 'The authorization code is not valid.', { reason })
